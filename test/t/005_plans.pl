# Parallel plans: training is split among the processes unless it is ordered or goes on from a model; predictions are the
# same in workers.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('plans', 'max_parallel_workers = 4', 'max_parallel_workers_per_gather = 2',
    'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 40 > 17 AS y,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, 2]) AS x
FROM generate_series(1, 30000) AS id;
CREATE TABLE models AS
SELECT 'large' AS name, casgd_train(x, y) AS m FROM rows
UNION ALL SELECT 'small', asgd_train('{1:1}', y, 'resumable=false') FROM rows;
-- A table of two models is not worth a parallel scan, whatever the settings say.
ALTER TABLE models SET (parallel_workers = 0);
ANALYZE;
SQL

sub plan_of { return $node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $_[0]") }

# Two that are NULL are no two that are the same.
sub answer {
    my $answer = $node->safe_psql('postgres', join '; ', @_);
    die "no answer to @_" if $answer eq '';
    return $answer;
}

my $train = "SELECT casgd_train(x, y) FROM rows";
my $plan = plan_of($train);
like($plan, qr/^Finalize Aggregate\n +->  Gather.*Partial Aggregate.*Parallel Seq Scan/s, 'training is partial');
like(plan_of('SELECT y, asgd_train(x, y) FROM rows GROUP BY y'), qr/Partial/, 'with GROUP BY, too');
like(plan_of('SELECT sparselin_train(x, (id % 3)::text) FROM rows'), qr/Partial/, 'of classes, too');
like(plan_of('SELECT count(*), sgd_train(x, y) FROM rows'), qr/Partial/, 'and beside another aggregate');
unlike(plan_of('SELECT casgd_train(x, y ORDER BY id) FROM rows'), qr/Partial/, 'not with ORDER BY');
unlike(plan_of('SELECT casgd_train(DISTINCT x, y) FROM rows'), qr/Partial/, 'nor with DISTINCT');
unlike(plan_of("SELECT sparselin_continue((SELECT m FROM models WHERE name = 'large'), x, y) FROM rows"),
    qr/Partial/, 'nor where it goes on from a model');
is(answer("SELECT (sparselin_info(m)).rows FROM ($train) AS v(m)"), 30000, 'each row arrives once');
is(answer("SELECT (sparselin_info(m)).rows, m::jsonb -> 'classes' FROM (SELECT sparselin_train(x, (id % 3)::text) AS m FROM rows) AS v"),
    '30000|["0", "1", "2"]', 'and each class');
my $ordered = 'SELECT md5(casgd_train(x, y ORDER BY id)::text) FROM rows';
is(answer($ordered), answer('SET max_parallel_workers_per_gather = 0', $ordered), 'with ORDER BY, the same model');
my @limited = grep { $_ } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT p.oid::regprocedure
FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass
JOIN pg_proc p ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
WHERE e.extname = 'sparselin' AND d.deptype = 'e' AND proparallel <> 's' AND provolatile <> 'v' ORDER BY 1
SQL
is("@limited", '', 'every function that changes nothing is parallel safe');

# Out of a subquery that is run once, a large model and one that fits inline; both in turn, out of a join.
my %from = (
    (map { ($_ => "rows, (SELECT (SELECT m FROM models WHERE name = '$_') AS m) AS v") } qw(large small)),
    joined => "rows JOIN models ON name = CASE WHEN id % 2 = 0 THEN 'large' ELSE 'small' END");
for my $how (sort keys %from) {
    for my $what (
        'sum(sparselin_predict(m, x)::numeric)',     'count(*) FILTER (WHERE sparselin_decide(m, x))',
        'sum(sparselin_probability(m, x)::numeric)', 'sum(sparselin_classify(m, x))') {
        my $sql = "SELECT $what FROM $from{$how}";
        like(plan_of($sql), qr/Gather.*Partial Aggregate.*Parallel Seq Scan on rows/s, "$how: $what in workers");
        is(answer($sql), answer('SET max_parallel_workers_per_gather = 0', $sql), "$how: $what is the same");
    }
}
like(answer(<<"SQL"), qr/Workers Launched: [1-9]/, 'workers were at it');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT count(*) FROM $from{large} WHERE sparselin_predict(m, x) > 0
SQL

done_testing;
