# Models that go on learning after they have left the database and come back; parallel workers that are killed.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('resume', 'client_min_messages = warning', 'max_parallel_workers_per_gather = 0');
my $dir = PostgreSQL::Test::Utils::tempdir();

# k rows are learned from here, the others where the model has come to. Fewer than 1000 are held back in the model.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT i AS id, i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) AS y,
       sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 3000]::bigint[],
                   ARRAY[1, 1, (i::bigint * 7919 % 1000) / 1000.0 + 0.001]) AS x
FROM generate_series(1, 4000) AS i;
CREATE TABLE models (learner text, k int, m sparselin_model, whole text);
DO $$
DECLARE
    learner text;
    options text;
BEGIN
    FOR learner, options IN
        VALUES ('sgd', 'lambda=1e-4'), ('asgd', 'lambda=1e-4'), ('casgd', 'lambda=1e-4 center={1:0.1}/4000'),
               ('onepass', ''), ('truncated', ''), ('elasticnet', '')
    LOOP
        EXECUTE format($sql$
            INSERT INTO models
            SELECT %L, k, %1$s_train(x, y, %L ORDER BY id) FILTER (WHERE id <= k), md5(%1$s_train(x, y, %2$L ORDER BY id)::text)
            FROM rows, unnest('{1,700,999,1000,2500}'::int[]) AS k GROUP BY k$sql$,
            learner, 'epochs=1 sampling=sequential ' || options);
    END LOOP;
END $$;
SQL
my $same = 'SELECT count(*), bool_and((md5(n::text) = whole) IS TRUE) FROM (SELECT learner, k, whole, '
  . 'sparselin_continue(m, x, y ORDER BY id) AS n FROM models JOIN rows ON id > k GROUP BY 1, 2, 3) AS v';
is($node->safe_psql('postgres', $same), '30|t', 'where they were made');

$node->safe_psql('postgres', 'CREATE DATABASE restored');
my @restore = ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', $node->connstr('restored'), '-f');
for my $how ([], ['--inserts']) {
    $node->command_ok([ 'pg_dump', @$how, '-f', "$dir/dump.sql", $node->connstr('postgres') ], "dumped @$how");
    $node->command_ok([ @restore, "$dir/dump.sql" ], 'restored');
    is($node->safe_psql('restored', $same), '30|t', "they go on from a dump @$how");
    $node->safe_psql('restored', 'DROP TABLE models, rows; DROP EXTENSION sparselin');
}
for my $format (qw(text binary csv)) {
    is($node->safe_psql('postgres', <<"SQL"), '30|t', "and from COPY, format $format");
COPY models TO '$dir/models' (FORMAT $format);
TRUNCATE models;
COPY models FROM '$dir/models' (FORMAT $format);
$same
SQL
}
$node->restart;
is($node->safe_psql('postgres', $same), '30|t', 'and after a restart');

# Training in workers that do not end by themselves, with rows in memory and in files.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION slowly(id int) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE VOLATILE COST 100000 AS
$$ BEGIN IF id % 1000 = 0 THEN PERFORM pg_sleep(0.05); END IF; RETURN true; END $$;
ALTER TABLE rows SET (parallel_workers = 2);
INSERT INTO rows SELECT id + n * 4000, y, x FROM rows, generate_series(1, 50) AS n;
ANALYZE rows;
SQL
my @parallel = ('max_parallel_workers_per_gather = 2', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
    'min_parallel_table_scan_size = 0', 'parallel_leader_participation = off');
my $workers = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker'";
for my $work_mem (64, 262144) {
    for my $aggregate ('casgd_train(x, y)', "onepass_train(x, y)", 'casgd_train(x, y), asgd_train(x, y)') {
        my $query = background_query($node, "SELECT $aggregate FROM rows WHERE slowly(id)", @parallel,
            "work_mem = $work_mem");
        my $name = "$aggregate, work_mem $work_mem";
        my $files = 0;
        ok(wait_until(sub {
            $files = 0 + temporary_files($node);
            return $node->safe_psql('postgres', "SELECT count(*) FROM ($workers) AS w") == 2
              && ($files > 0 || $work_mem > 64 || $aggregate =~ /^onepass/);
        }), "$name: workers are at work, with $files files");
        my ($worker) = split /\n/, $node->safe_psql('postgres', $workers);
        $node->safe_psql('postgres', "SELECT pg_terminate_backend($worker)");
        my ($status, $out, $err) = $query->finish;
        like($err, qr/terminating .* due to administrator command|lost connection to parallel worker/,
            "$name: a worker that is killed ends the query");
        ok(wait_until(sub { !temporary_files($node) }, 5), "$name: no file is left");
        is($node->safe_psql('postgres', $workers), '', "$name: nor a worker");
    }
}
# The session goes on, and a query that nobody disturbs is right.
my $settings = join '; ', map { "SET $_" } @parallel;
is($node->safe_psql('postgres', <<"SQL"), "57014\n204000|t", 'a session goes on after a cancel in its workers');
$settings; SET work_mem = 64;
DO \$\$ BEGIN SET LOCAL statement_timeout = 100; EXECUTE 'SELECT casgd_train(x, y) FROM rows WHERE slowly(id)';
EXCEPTION WHEN query_canceled THEN NULL; END \$\$;
SELECT '57014';
SELECT i.rows, i.skipped = 0 FROM (SELECT casgd_train(x, y, 'epochs=2') AS m FROM rows) AS v, sparselin_info(m) AS i
SQL
is(join(' ', temporary_files($node)), '', 'and leaves no file');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal/, 'no process has crashed');

done_testing;
