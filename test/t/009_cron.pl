# A nightly job, every minute: pg_cron retrains a model, a run that fails leaves the version in use, the next one is well.
# Takes three minutes, nearly all of them waiting: pg_cron 1.4 knows no shorter time.
use strict;
use warnings;

use SparselinTest;
use Test::More;

chomp(my $share = qx(pg_config --sharedir));
plan skip_all => 'pg_cron is not installed' if !-f "$share/extension/pg_cron.control";

my $node = new_node('cron', "shared_preload_libraries = 'pg_cron'", "cron.database_name = 'postgres'",
    'cron.use_background_workers = on', 'max_worker_processes = 20');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_cron;
CREATE ROLE ann LOGIN;
GRANT USAGE ON SCHEMA cron TO ann;
GRANT SELECT ON cron.job_run_details TO ann;
GRANT CREATE ON SCHEMA public TO ann;
GRANT SELECT, INSERT, UPDATE, DELETE ON sparselin_registry, sparselin_models, sparselin_model_values TO ann;
SQL

sub as_ann {
    my ($sql) = @_;
    my ($status, $out, $err) = $node->psql('postgres', $sql, on_error_stop => 1, extra_params => [ '-U', 'ann' ]);
    die "$sql\n$err" if $status;
    return $out;
}

# The first 1000 rows are there when the model is fitted, all 3000 when the job runs for the first time.
as_ann(<<'SQL');
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 500], ARRAY[1, 1, 1]) AS features,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) AS label
FROM generate_series(1, 1000) AS i;
SELECT sparselin_fit('nightly', 'SELECT features, label FROM rows ORDER BY id');
INSERT INTO rows
SELECT i, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 500], ARRAY[1, 1, 1]), i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3)
FROM generate_series(1001, 3000) AS i;
SELECT cron.schedule('nightly', '* * * * *', $$SELECT sparselin_retrain('nightly')$$);
SQL
my $score = q(SELECT sparselin_predict('nightly', '{1:1}'));
my $first = as_ann($score);

sub wait_for {
    my ($condition, $name) = @_;
    my $query = "SELECT count(*) > 0 FROM sparselin_models WHERE name = 'nightly' AND $condition";
    my $met = wait_until(sub { sleep 1; as_ann($query) eq 't' }, 150);
    diag(as_ann('SELECT * FROM sparselin_models'), $node->safe_psql('postgres', 'SELECT * FROM cron.job_run_details')) if !$met;
    return ok($met, $name);
}

wait_for('active AND version > 1', 'a minute later another version is active');
my $version = as_ann("SELECT version FROM sparselin_models WHERE active AND rows > 2000 AND trained_by = 'ann'");
cmp_ok($version || 0, '>', 1, 'of all rows, trained as the owner of the job');
my $second = as_ann($score);
isnt($second, $first, 'predictions are those of the new version');
ok($node->poll_query_until('postgres', "SELECT status = 'succeeded' AND username = 'ann' FROM cron.job_run_details ORDER BY runid LIMIT 1"),
    'pg_cron says so too');

as_ann('ALTER TABLE rows RENAME label TO spam');
wait_for('failure IS NOT NULL', 'a run that fails is recorded');
is(as_ann("SELECT failure FROM sparselin_models WHERE failure IS NOT NULL ORDER BY version LIMIT 1"),
    '42703 | column "label" does not exist', 'with what failed');
my $active = as_ann('SELECT version FROM sparselin_models WHERE active');
cmp_ok($active, '>=', $version, 'the version in use stays');
is(as_ann($score), $second, 'and predicts as before') if $active == $version;
my $failed = as_ann('SELECT max(version) FROM sparselin_models');

as_ann('ALTER TABLE rows RENAME spam TO label');
wait_for("active AND version > $failed", 'the run after the repair is active');
as_ann("SELECT cron.unschedule('nightly')");
$node->stop;
done_testing;
