# Support functions called as distributed engines do, with nothing remembered between two calls (see fresh_calls.c): the
# models are those of plain calls.
use strict;
use warnings;

use FindBin;
use SparselinTest;
use Test::More;

my $node = new_node('fresh', 'max_parallel_workers_per_gather = 0', 'client_min_messages = warning');
my $module = "$FindBin::RealBin/../modules/fresh_calls";

$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION fresh_step(internal, regprocedure, record) RETURNS internal AS '$module' LANGUAGE C;
CREATE FUNCTION fresh_serialize(internal) RETURNS bytea AS '$module' LANGUAGE C;
CREATE AGGREGATE fresh_partial(regprocedure, record)
    (SFUNC = fresh_step, STYPE = internal, FINALFUNC = fresh_serialize);
CREATE FUNCTION fresh_combine(internal, regprocedure, bytea) RETURNS internal AS '$module' LANGUAGE C;
CREATE FUNCTION fresh_end(internal) RETURNS sparselin_model AS '$module' LANGUAGE C;
CREATE AGGREGATE fresh_final(regprocedure, bytea) (SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_end);
CREATE FUNCTION fresh_end_evaluation(internal) RETURNS sparselin_evaluation AS '$module', 'fresh_end' LANGUAGE C;
CREATE AGGREGATE fresh_card(regprocedure, bytea)
    (SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_end_evaluation);
CREATE TABLE rows AS
SELECT i AS id, i / 1300 AS shard, i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) AS y, 1 + i % 3 AS weight,
       CASE WHEN i % 50 > 0 THEN sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 300]::bigint[],
                                             ARRAY[1, 1, (i::bigint * 7919 % 1000) / 1000.0 + 0.001]) END AS x
FROM generate_series(1, 4000) AS i;
CREATE FUNCTION distance(a sparselin_model, b sparselin_model) RETURNS float8 LANGUAGE sql AS \$\$
    SELECT max(abs(coalesce(v.weight, 0) - coalesce(w.weight, 0))) / max(abs(w.weight))
    FROM (SELECT feature, weight FROM sparselin_weights(a) UNION ALL SELECT 0, (sparselin_info(a)).bias) v
    FULL JOIN (SELECT feature, weight FROM sparselin_weights(b) UNION ALL SELECT 0, (sparselin_info(b)).bias) w USING (feature)
\$\$;
SQL

# Four shards, of which the last is small, and two empty ones, seen first and last.
my $shards = 'SELECT s, fresh_partial(%s, ROW(%s) ORDER BY id) FILTER (WHERE shard = s) AS state '
  . 'FROM rows, generate_series(-1, 4) AS s GROUP BY s';

sub fresh_model {
    my ($aggregate, $arguments, $condition) = @_;
    return sprintf "SELECT fresh_final($aggregate, state ORDER BY s) AS m FROM ($shards HAVING %s) AS v",
      $aggregate, $arguments, $condition // 'true';
}

my %stream = (
    sgd => 'lambda=1e-4', asgd => 'lambda=1e-4', casgd => 'lambda=1e-4 center={1:0.1}', onepass => '',
    truncated => '', elasticnet => '');
for my $learner (sort keys %stream) {
    my $of = sub { "'${learner}_train(sparsearray, boolean$_[0])'::regprocedure" };
    my $options = "'epochs=1 sampling=sequential $stream{$learner}'::sparselin_options";
    # Rows that are kept come together, and are learned from in their order.
    my %kept = (
        'no options' => [ $of->(''), 'x, y' ],
        options => [ $of->(', sparselin_options'), "x, y, 'epochs=3 sampling=shuffle'::sparselin_options" ],
        'options that are NULL, and weights' =>
          [ $of->(', sparselin_options, float8'), 'x, y, NULL::sparselin_options, weight::float8' ]);
    delete @kept{ 'no options', 'options that are NULL, and weights' } if $learner eq 'onepass';
    for my $case (sort keys %kept) {
        my ($aggregate, $arguments) = @{ $kept{$case} };
        my $one_call = "SELECT ${learner}_train($arguments ORDER BY id)::text FROM rows";
        my $fresh = fresh_model($aggregate, $arguments);
        is($node->safe_psql('postgres', "SELECT m::text = ($one_call) FROM ($fresh) AS v"),
            't', "$learner, $case: as in one call");
    }
    # What has learned is averaged; the last shard's few rows are held back, and learned from apart.
    my @call = ($of->(', sparselin_options'), "x, y, $options");
    my $parts = "SELECT shard, ${learner}_train(x, y, $options ORDER BY id) AS p FROM rows GROUP BY shard";
    is($node->safe_psql('postgres', 'SELECT distance(m, (SELECT sparselin_merge(p ORDER BY shard) '
              . "FROM ($parts) AS s)) < 1e-12 FROM (" . fresh_model(@call) . ') AS v'),
        't', "$learner, streaming: the mean of the parts");
    is($node->safe_psql('postgres', "SELECT m::jsonb = (SELECT p::jsonb FROM ($parts) AS s WHERE shard = 1) FROM ("
              . fresh_model(@call, 's < 0 OR s IN (1, 4)') . ') AS v'),
        't', "$learner, streaming: one part among empty ones");
    is($node->safe_psql('postgres', 'SELECT m IS NULL FROM (' . fresh_model(@call, 's IN (-1, 4)') . ') AS v'),
        't', "$learner, streaming: no rows at all");
    fails_like($node, fresh_model($call[0], "x, y, sparselin_options(loss => CASE WHEN id > 2000 THEN 'hinge' END)"),
        qr/row 702: the options are not those of the rows before it/, "$learner: options that change in a shard");
    fails_like($node, fresh_model($call[0], "x, y, sparselin_options(loss => CASE WHEN shard = 2 THEN 'hinge' END)"),
        qr/the options are not the same for all rows/, "$learner: options that change from shard to shard");
}
my $casgd = "'casgd_train(sparsearray, boolean)'::regprocedure";
my $damaged = sub {
    return "SELECT fresh_final($casgd, $_[0]) FROM (" . sprintf($shards, $casgd, 'x, y') . ') AS v WHERE s = 1';
};
# Not one of them brings down the server, or is taken for something else.
for my $keep (0, 1, 5, 20, 100, 150, 200, 500, 5000) {
    fails_like($node, $damaged->("substring(state FROM 1 FOR $keep)"), qr/invalid binary|damaged/,
        "$keep bytes of a state");
}
# Each byte in turn; what comes of it is a model or a clean error.
for my $case ([ 'casgd', 'epochs=2', 20 ], [ 'onepass', '', 20 ], [ 'onepass', '', 1300 ]) {
    my ($learner, $options, $rows) = @$case;
    my $outcome = $node->safe_psql('postgres', <<"SQL");
CREATE TEMP TABLE outcome (what text);
DO \$\$
DECLARE
    aggregate regprocedure := '${learner}_train(sparsearray, boolean, sparselin_options)';
    bytes bytea;
    m sparselin_model;
BEGIN
    SELECT fresh_partial(aggregate, ROW(x, y, '$options'::sparselin_options) ORDER BY id) INTO bytes
    FROM rows WHERE id <= $rows;
    FOR at IN 0..least(length(bytes), 1500) - 1 LOOP
        FOR flip IN 0..1 LOOP
            BEGIN
                SELECT fresh_final(aggregate, set_byte(bytes, at, (ARRAY[127, 255])[flip + 1])) INTO m;
                PERFORM m::text;
                INSERT INTO outcome VALUES ('ok');
            EXCEPTION WHEN OTHERS THEN INSERT INTO outcome VALUES (SQLSTATE);
            END;
        END LOOP;
    END LOOP;
END \$\$;
SELECT what, count(*) FROM outcome GROUP BY 1 ORDER BY 1
SQL
    my %expected = map { $_ => 1 } qw(ok 22P03 22P02 22023 22003 22000 0A000);
    my %outcome = map { split /\|/ } split /\n/, $outcome;
    is(join(' ', grep { !$expected{$_} } sort keys %outcome), '', "$learner, $rows rows, damaged: @{[%outcome]}");
    cmp_ok($outcome{'22P03'}, '>', 50, 'much of it is noticed');
}
# A model of 20 kB, which would take long to read for every row.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE model AS
SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'logistic', 'weights',
                                          (SELECT jsonb_agg(sin(i)) FROM generate_series(1, 2000) AS i))) AS m;
CREATE VIEW judged AS SELECT id, shard, m, x, y, weight::float8 AS weight FROM rows, model;
SQL
my $evaluate = "'sparselin_evaluate(sparselin_model, sparsearray, boolean%s)'::regprocedure";
for my $case ([ '', '' ], [ ', float8', ', weight' ]) {
    my ($types, $weight) = @$case;
    my $aggregate = sprintf $evaluate, $types;
    (my $states = sprintf $shards, $aggregate, "m, x, y$weight") =~ s/FROM rows/FROM judged/;
    for my $empty ('true', 's IN (-1, 4)') {
        my $rows = $empty eq 'true' ? 'true' : 'shard < 0';
        is($node->safe_psql('postgres', <<"SQL"), 't', "sparselin_evaluate$types, shards $empty");
SELECT (c).rows IS NOT DISTINCT FROM (w).rows AND (c).skipped IS NOT DISTINCT FROM (w).skipped
       AND (c).auc IS NOT DISTINCT FROM (w).auc AND (abs((c).loss - (w).loss) < 1e-14) IS DISTINCT FROM false
FROM (SELECT fresh_card($aggregate, state ORDER BY s) AS c FROM ($states HAVING $empty) AS v) AS f,
     (SELECT sparselin_evaluate(m, x, y$weight) AS w FROM judged WHERE $rows) AS w
SQL
    }
    # Each byte in turn; what comes of it is a card or a clean error.
    my $outcome = $node->safe_psql('postgres', <<"SQL");
CREATE TEMP TABLE outcome (what text);
DO \$\$
DECLARE
    bytes bytea;
    card text;
BEGIN
    SELECT fresh_partial($aggregate, ROW(m, x, y$weight) ORDER BY id) INTO bytes FROM judged WHERE id <= 60;
    FOR at IN 0..length(bytes) - 1 LOOP
        FOR flip IN 0..2 LOOP
            BEGIN
                SELECT fresh_card($aggregate, CASE flip WHEN 2 THEN substring(bytes FROM 1 FOR at)
                    ELSE set_byte(bytes, at, (ARRAY[127, 255])[flip + 1]) END) INTO card;
                INSERT INTO outcome VALUES ('ok');
            EXCEPTION WHEN OTHERS THEN INSERT INTO outcome VALUES (SQLSTATE);
            END;
        END LOOP;
    END LOOP;
END \$\$;
SELECT what, count(*) FROM outcome GROUP BY 1 ORDER BY 1
SQL
    my %outcome = map { split /\|/ } split /\n/, $outcome;
    is(join(' ', grep { !/^(ok|22P03|22003)$/ } sort keys %outcome), '', "damaged: @{[%outcome]}");
    cmp_ok($outcome{'22P03'}, '>', 300, 'much of it is noticed');
}
# By name: each state looks it up for itself.
$node->safe_psql('postgres', q(SELECT sparselin_fit('kept', 'SELECT x AS features, y AS label FROM rows', holdout => 0)));
my $named = "'sparselin_evaluate(text, sparsearray, boolean)'::regprocedure";
is($node->safe_psql('postgres', "SELECT (fresh_card($named, state ORDER BY s)).auc = (SELECT (sparselin_evaluate("
          . "'kept', x, y)).auc FROM rows) FROM (" . sprintf($shards, $named, "'kept'::text, x, y") . ') AS v'),
    't', 'sparselin_evaluate, by name');
# What is an array, what has an argument after the weight, and what has no model.
for my $case (
    [ 'curve',       'sparselin_curve_point[]',     'sparselin_model, sparsearray, boolean', 'm, x, y' ],
    [ 'calibration', 'sparselin_calibration_bin[]', 'sparselin_model, sparsearray, boolean, float8, integer', 'm, x, y, 1::float8, 4' ],
    [ 'confusion',   'sparselin_confusion_cell[]',  'sparselin_model, sparsearray, boolean', 'm, x, y' ],
    [ 'evaluate',    'sparselin_evaluation', 'sparselin_model, sparsearray, boolean, float8, float8', 'm, x, y, 1::float8, 0.625::float8' ],
    [ 'evaluate',    'sparselin_evaluation', 'float8, boolean, text', "round(sparselin_predict(m, x)::numeric * 4)::float8, y, 'hinge'::text" ])
{
    my ($name, $type, $types, $arguments) = @$case;
    my $aggregate = "'sparselin_$name($types)'::regprocedure";
    (my $states = sprintf $shards, $aggregate, $arguments) =~ s/FROM rows/FROM judged/;
    is($node->safe_psql('postgres', <<"SQL"), 't', "sparselin_$name($types)");
CREATE FUNCTION end_of_it(internal) RETURNS $type AS '$module', 'fresh_end' LANGUAGE C;
CREATE AGGREGATE all_of_it(regprocedure, bytea) (SFUNC = fresh_combine, STYPE = internal, FINALFUNC = end_of_it);
SELECT to_jsonb(all_of_it($aggregate, state ORDER BY s)) - 'loss' - 'log_loss' - 'objective'
       = (SELECT to_jsonb(sparselin_$name($arguments)) - 'loss' - 'log_loss' - 'objective' FROM judged) FROM ($states) AS v;
DROP AGGREGATE all_of_it(regprocedure, bytea);
DROP FUNCTION end_of_it(internal);
SQL
}
# A part that stays in its process is a reference to its state, which stands for the bytes to whoever wants those.
$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION node_serialize(internal) RETURNS bytea AS '$module' LANGUAGE C;
CREATE AGGREGATE node_partial(regprocedure, record)
    (SFUNC = fresh_step, STYPE = internal, FINALFUNC = node_serialize);
SQL
for my $rows ('true', 'id % 50 = 1') {
    my $state = "(SELECT %s_partial($casgd, ROW(x, y) ORDER BY id) AS state FROM rows WHERE $rows) AS v";
    my ($fresh, $nodes) = map { sprintf $state, $_ } 'fresh', 'node';
    is($node->safe_psql('postgres', "SELECT md5(state) = (SELECT md5(state) FROM $fresh) FROM $nodes"),
        't', "$rows: the same bytes");
    is($node->safe_psql('postgres', "SELECT fresh_final($casgd, state)::text = (SELECT fresh_final($casgd, state)::text "
              . "FROM $fresh) FROM $nodes"), 't', "$rows: the same model");
}
# Without an FmgrInfo there is nowhere to keep anything: the same error everywhere, and no crash.
$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION called_directly(text, sparselin_model, sparsearray) RETURNS float8 AS '$module' LANGUAGE C;
CREATE FUNCTION called_directly(text, text, sparsearray) RETURNS float8 AS '$module' LANGUAGE C;
CREATE FUNCTION called_directly(text, jsonb, int) RETURNS float8 AS '$module' LANGUAGE C;
SQL
for my $call (
    q{'sparselin_predict', m, '{1:1}'::sparsearray) FROM model},
    q{'sparselin_predict_named', 'some'::text, '{1:1}'::sparsearray)},
    q{'sparselin_features_jsonb', '{"a": 1}'::jsonb, 20)},
    q{'sparselin_missing_model', 'some'::text, NULL)}) {
    fails_like($node, "SELECT called_directly($call", qr/function of sparselin called without its FmgrInfo/, "directly: $call");
}
is($node->safe_psql('postgres', 'SELECT (sparselin_info(casgd_train(x, y))).rows FROM rows'), 3920, 'the server lives');

# Gradients: as in one call, with a scale to be found, and from empty shards.
$node->safe_psql('postgres', "CREATE FUNCTION fresh_end_gradient(internal) RETURNS sparselin_slope AS '$module', 'fresh_end' LANGUAGE C; "
      . 'CREATE AGGREGATE fresh_slope(regprocedure, bytea) (SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_end_gradient); '
      . "CREATE TABLE scaled AS SELECT casgd_train(x, y, 'scale=std') AS m FROM rows");
for my $case ([ '', 'm, x, y', 'model' ], [ ', float8', 'm, x, y, weight::float8', 'scaled' ]) {
    my ($types, $arguments, $models) = @$case;
    my $aggregate = "'sparselin_gradient(sparselin_model, sparsearray, boolean$types)'::regprocedure";
    (my $states = sprintf $shards, $aggregate, $arguments) =~ s/FROM rows/FROM rows CROSS JOIN $models/;
    is($node->safe_psql('postgres', "SELECT (c).rows = (w).rows AND abs((c).objective / (w).objective - 1) < 1e-13 "
              . 'AND distance((c).gradient, (w).gradient) < 1e-12 AND (abs((c).gap / (w).gap - 1) < 1e-11) IS DISTINCT FROM false '
              . "FROM (SELECT fresh_slope($aggregate, state ORDER BY s) AS c FROM ($states) AS v) AS f, "
              . "(SELECT sparselin_gradient($arguments) AS w FROM rows, $models) AS w"),
        't', "sparselin_gradient$types");
    is($node->safe_psql('postgres', "SELECT fresh_slope($aggregate, state ORDER BY s) IS NULL FROM ($states HAVING s IN (-1, 4)) AS v"),
        't', "sparselin_gradient$types of no rows");
}

# What a worker of Citus says of rows that it does not ship.
my ($status, $out, $err) = $node->psql('postgres', "SET application_name = 'citus_internal gpid=10000000027'; "
      . 'SET sparselin.max_shipped_state = 0; SELECT count(state) FROM (' . sprintf($shards, $casgd, 'x, y') . ') AS v');
like($err, qr/WARNING:  the \d+ rows of a shard are learned from alone/, 'a shard that is too large');
like($err, qr/HINT:  Raise \S+ \(0 kB\) on the workers, with ALTER ROLE .* or group by the distribution column/, 'and how to have it shipped');

# Advice is given once in a statement, where what is kept at a place does not last to the next group; and again in the next.
my $groups = "SELECT count(m) FROM (SELECT fresh_final($casgd, state) AS m FROM (" . sprintf($shards, $casgd, 'x, true') . ') AS v GROUP BY s) AS w';
my $advice = sub { my ($s, $o, $e) = @_; return "$o " . scalar(() = $e =~ /NOTICE:  all labels are of one class/g) };
is($advice->($node->psql('postgres', "SET client_min_messages = notice; $groups")), '4 1', 'advice on four groups');
is($advice->($node->psql('postgres', "SET client_min_messages = notice; SELECT * FROM ($groups) AS s;\n$groups")), "4\n4 2", 'and on twice as many');

done_testing;
