# Large: many steps, many features, and a model beyond the largest size.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('large', 'log_statement = none', 'max_wal_size = 8GB');
sub answer { return $node->safe_psql('postgres', join '; ', @_) }

# w and b by hand: rows {1:1} of both labels alike, so both stay near 0; {2:1} is always positive.
my $stream = "'epochs=1 sampling=sequential lambda=1e-6'";
my $steps = answer(<<"SQL");
SELECT (sparselin_info(m)).steps, abs(sparselin_predict(m, '{1:1}')) < 0.01, sparselin_predict(m, '{2:1}') > 3
FROM (SELECT asgd_train(CASE i % 3 WHEN 0 THEN '{2:1}'::sparsearray ELSE '{1:1}' END, i % 3 < 2, $stream) AS m
      FROM generate_series(1, 100000000) AS i) AS v
SQL
is($steps, '100000000|t|t', '10^8 streamed steps');
$steps = answer(<<"SQL");
SELECT (sparselin_info(m)).steps, abs(sparselin_predict(m, '{1:1}')) < 0.05, sparselin_predict(m, '{2:1}') > 3
FROM (SELECT casgd_train(CASE i % 3 WHEN 0 THEN '{2:1}'::sparsearray ELSE '{1:1}' END, i % 3 < 2, 'epochs=100') AS m
      FROM generate_series(1, 1000000) AS i) AS v
SQL
is($steps, '100000000|t|t', '10^8 steps over rows in a file');

# Ten million features, in rows of a thousand; feature f is positive where f is even.
my $wide = <<'SQL';
CREATE TABLE wide AS
SELECT r % 2 = 0 AS y, sparsearray(array_agg(%s ORDER BY i), array_agg(1)) AS x
FROM generate_series(0, 9999) AS r, generate_series(0, 999) AS i GROUP BY r;
CREATE TABLE model AS SELECT casgd_train(x, y, 'epochs=2 sampling=sequential') AS m FROM wide;
SQL
for my $case ([ 'dense', '1 + r + i * 10000::bigint' ], [ 'scattered', '1 + (r + i * 10000::bigint) * 200' ]) {
    my ($name, $index) = @$case;
    answer(sprintf $wide, $index);
    is(answer('SELECT (sparselin_info(m)).nonzero FROM model'), 10000000, "ten million features, $name");
    is(answer('SELECT count(*) FROM wide, model WHERE sparselin_decide(m, x) = y'), 10000, 'applied');
    is(answer('SELECT sparselin_model_send(m::text::sparselin_model) = sparselin_model_send(m) FROM model'),
        't', 'written as text and read again');
    answer('DROP TABLE wide, model');
}

# A model whose text would not fit in 1 GB.
my $rows = <<'SQL';
(SELECT sparsearray(array_agg(1 + r + i * 100::bigint ORDER BY i), array_agg(0.1 + i)) AS x, r % 2 = 0 AS y
 FROM generate_series(0, 99) AS r, generate_series(0, 249999) AS i GROUP BY r) AS v
SQL
fails_like($node, "SELECT asgd_train(x, y) IS NULL FROM $rows", qr/the model is too large: \d+ bytes as text/, 'a model that is too large');
is(answer('SELECT 1'), 1, 'the server lives');
is(answer("SELECT (sparselin_info(asgd_train(x, y, 'resumable=false epochs=1'))).nonzero FROM $rows"), 25000000,
    'without its resume state it is not');

done_testing;
