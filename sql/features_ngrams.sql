-- Neighbouring words as features, and what counts are worth
CREATE SCHEMA features_ngrams;
SET search_path = features_ngrams, public;

SELECT name, value FROM sparselin_names('new:1,5 york:2,6 is:3 not:4'::tsvector, ngrams => 2) ORDER BY name COLLATE "C";
SELECT name, value FROM sparselin_names('a:1 b:2 c:3 d:4 e:5'::tsvector, ngrams => 4) ORDER BY name COLLATE "C";
SELECT feature, name, value FROM sparselin_names('new:1 york:2 city:3'::tsvector, 20, 3) WHERE name LIKE '% %' ORDER BY name COLLATE "C";
-- stop words leave gaps that no pair goes over
SELECT to_tsvector('english', 'the cat in the hat sat down'), array_agg(name ORDER BY name COLLATE "C") FROM sparselin_names(to_tsvector('english', 'the cat in the hat sat down'), ngrams => 2);
-- several words at a position, and a word beside itself
SELECT array_agg(name || ' ' || value ORDER BY name COLLATE "C") FROM sparselin_names('big:1 large:1 house:2 home:2 ha:3,4,5'::tsvector, ngrams => 2);
-- positions are what counts: words without them have no neighbours
SELECT array_agg(name ORDER BY name COLLATE "C") FROM sparselin_names(strip('a:1 b:2'::tsvector), ngrams => 2);
SELECT array_agg(name ORDER BY name COLLATE "C") FROM sparselin_names('a:1 b'::tsvector, ngrams => 2);
SELECT array_agg(name ORDER BY name COLLATE "C") FROM sparselin_names('a:1A,2B b:2C,3D'::tsvector, ngrams => 2);
-- tf
SELECT tf, array_agg(name || ' ' || value ORDER BY name COLLATE "C") FROM unnest('{count,log,binary}'::text[]) AS tf,
    sparselin_names('a:1,3,5,7 b:2,4,6'::tsvector, 20, 2, tf) GROUP BY tf ORDER BY tf;
SELECT value = (1 + ln(4))::real AS log FROM sparselin_names('a:1,3,5,7 b:2,4,6'::tsvector, tf => 'log') WHERE name = 'a';
-- the defaults are the words as they were
SELECT sparselin_features(v) = sparselin_features(v, 20, 1, 'count') AS same, sparselin_features(v, 10) = sparselin_features(v, 10, ngrams => 1) AS bits
FROM to_tsvector('simple', 'one two one') AS v;
SELECT sparselin_features('a:1'::tsvector, 20, NULL::int), sparselin_features('a:1'::tsvector, tf => NULL), sparselin_features(NULL::tsvector, ngrams => 2);
SELECT sparselin_features(''::tsvector, 4, 4, 'log');

-- against neighbours that are looked for by a join
CREATE TEMP TABLE texts AS
SELECT i AS id, to_tsvector('english', string_agg((ARRAY['the', 'cat', 'sat', 'on', 'a', 'mat', 'rat', 'hat', 'cats', 'big'])[1 + abs(hashint4(i * 1000 + k)) % 10], ' ' ORDER BY k)) AS v
FROM generate_series(1, 300) i, generate_series(1, 30) k WHERE k <= i % 31 GROUP BY i;
CREATE TEMP TABLE placed AS SELECT id, lexeme AS w, p FROM texts, unnest(v) AS u, unnest(positions) AS p;
CREATE TEMP TABLE grams AS
WITH RECURSIVE runs(id, name, p, n) AS (
    SELECT id, w, p, 1 FROM placed
    UNION ALL SELECT id, name || ' ' || w, next.p, n + 1 FROM runs JOIN placed AS next USING (id) WHERE next.p = runs.p + 1 AND n < 4)
SELECT id, n, name, count(*) AS times FROM runs GROUP BY id, n, name;
SELECT ngrams, tf, count(*) AS texts,
       count(*) FILTER (WHERE (SELECT array_agg((name, value) ORDER BY name) FROM sparselin_names(v, 20, ngrams, tf))
                              IS DISTINCT FROM (SELECT array_agg((name, CASE tf WHEN 'count' THEN times WHEN 'log' THEN 1 + ln(times) ELSE 1 END::real) ORDER BY name)
                                                FROM grams AS g WHERE g.id = t.id AND n <= ngrams)) AS different
FROM texts AS t, generate_series(1, 4) AS ngrams, unnest('{count,log,binary}'::text[]) AS tf GROUP BY ngrams, tf ORDER BY ngrams, tf;
-- features are what names say, and idf multiplies them
SELECT bool_and(f = added) AS ok, bool_and(sparselin_features(v, 12, idf, 3, 'log') = sparsearray_multiply(f, idf)) AS idf,
       bool_and(sparselin_features(v, 12, idf, ngrams => 3, tf => 'log') = sparselin_features(v, 12, idf => idf, tf => 'log', ngrams => 3)) AS by_name
FROM (SELECT v, sparselin_features(v, 12, 3, 'log') AS f,
             (SELECT sparsearray_agg(feature, value) FROM sparselin_names(v, 12, 3, 'log')) + '{}/4096'::sparsearray AS added
      FROM texts WHERE v <> '') AS s, (SELECT sparselin_idf(sparselin_features(v, 12, 3, 'log')) AS idf FROM texts) AS i;

-- explained, with the same arguments: together they are the score
CREATE TEMP TABLE model AS SELECT idf, casgd_train(sparselin_features(v, 14, 3, 'log'), id % 3 = 0 ORDER BY id) AS plain,
    casgd_train(sparsearray_normalize(sparselin_features(v, 14, idf, 2)), id % 3 = 0 ORDER BY id) AS weighted
FROM texts, (SELECT sparselin_idf(sparselin_features(v, 14, 2)) AS idf FROM texts) AS i GROUP BY idf;
SELECT bool_and(abs(sparselin_predict(plain, sparselin_features(v, 14, 3, 'log')) - (SELECT sum(contribution) FROM sparselin_explain(plain, v, ngrams => 3, tf => 'log'))) < 1e-9) AS plain,
       bool_and(abs(sparselin_predict(weighted, sparsearray_normalize(sparselin_features(v, 14, idf, 2)))
                    - (SELECT sum(contribution) FROM sparselin_explain(weighted, v, idf => idf, norm => 'l2', ngrams => 2))) < 1e-9) AS weighted
FROM texts, model;
SELECT e.name, e.value FROM model, sparselin_explain(plain, 'cat:1,6 sat:2,7 mat:4'::tsvector, ngrams => 2, tf => 'log') AS e ORDER BY e.name COLLATE "C";
SELECT e.name, e.value FROM model, sparselin_explain(plain, 'cat:1,6 sat:2,7 mat:4'::tsvector) AS e ORDER BY e.name COLLATE "C";

-- tsvector stops counting at 16383: what lies there, and behind it, has no neighbours
SELECT count(*) AS words, count(*) FILTER (WHERE name LIKE '% %') AS pairs
FROM sparselin_names(to_tsvector('simple', (SELECT string_agg('w' || i, ' ' ORDER BY i) FROM generate_series(1, 20000) i)), ngrams => 2);
SELECT name FROM sparselin_names('a:16381 b:16382 c:16383 d:16384'::tsvector, ngrams => 4) WHERE name LIKE '% %';
-- and at 255 positions of a word
SELECT name, value FROM sparselin_names(to_tsvector('simple', repeat('x y ', 300)), ngrams => 2) ORDER BY name COLLATE "C";

-- Errors
SELECT sparselin_features('a:1'::tsvector, ngrams => 0);
SELECT sparselin_features('a:1'::tsvector, ngrams => 5);
SELECT sparselin_features('a:1'::tsvector, tf => 'logs');
SELECT sparselin_names('a:1'::tsvector, ngrams => -1);
SELECT sparselin_explain(plain, 'a:1'::tsvector, tf => '') FROM model;
SELECT sparselin_features('a:1'::tsvector, 31, 2);
-- words that share a position, each beside each of the next
SELECT sparselin_features(string_agg('w' || i || ':' || 1 + i % 2, ' ')::tsvector, ngrams => 2) FROM generate_series(1, 3000) i;
SELECT sparsearray_nnz(sparselin_features(string_agg('w' || i || ':' || 1 + i % 2, ' ')::tsvector, 30, 2)) FROM generate_series(1, 600) i;
-- and can be cancelled
SET statement_timeout = '200ms';
SELECT count(sparselin_features(v, 30, 2)) FROM (SELECT string_agg('w' || i || ':' || 1 + i % 2, ' ')::tsvector AS v FROM generate_series(1, 1900) i) AS s, generate_series(1, 1000);
RESET statement_timeout;
