# The view sparselin_progress: how trainings of other sessions get on, who sees it, and that it is gone when they are.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('shown', 'max_parallel_workers_per_gather = 0', 'work_mem = 64MB', 'jit = off');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 40 > 17 AS y, sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, 2]) AS x
FROM generate_series(1, 100000) AS id;
VACUUM ANALYZE rows;
CREATE ROLE trainer LOGIN;
CREATE ROLE stranger LOGIN;
CREATE ROLE watcher LOGIN IN ROLE pg_read_all_stats;
CREATE ROLE colleague LOGIN IN ROLE trainer;
GRANT SELECT ON rows TO trainer;
-- A row every so often, each of them caught by a subtransaction that fails.
CREATE FUNCTION slowly(x sparsearray, fails boolean) RETURNS sparsearray VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(0.01);
    IF fails THEN RAISE division_by_zero; END IF;
    RETURN x;
EXCEPTION WHEN division_by_zero THEN
    RETURN x;
END $$;
SQL

my $endless = 'epochs=100000';
my $columns = 'learner, phase, model, rows, done BETWEEN 0 AND rows, epoch > 0, epochs, progressive_loss > 0, '
  . "ends_at > now(), seen_at > now() - interval '10 s', role, database";

# The row of a query in the background, as somebody sees it, once it is there; '' if it never is.
sub seen {
    my ($query, $condition, $shown, $user) = @_;
    my $row = '';
    wait_until(sub {
        $row = $node->safe_psql('postgres', "SELECT $shown FROM sparselin_progress WHERE pid = @{[$query->pid]} AND $condition",
            extra_params => [ '-U', $user // 'postgres' ]);
        return $row ne '' || !$query->running;
    }, 30);
    return $row;
}

sub shown { return $node->safe_psql('postgres', 'SELECT count(*) FROM sparselin_progress') }

is(shown(), 0, 'nothing where nothing trains');

# While it learns: who sees it, and what; other views of progress do not.
{
    local $ENV{PGUSER} = 'trainer';
    my $query = background_query($node, "SELECT casgd_train(x, y, '$endless') FROM rows");
    delete $ENV{PGUSER};
    is(seen($query, "phase = 'learning'", $columns), 'casgd|learning|1|100000|t|t|100000|t|t|t|trainer|postgres', 'learning');
    my $epoch = sub { return seen($query, 'epoch > 0', 'epoch') };
    my $before = $epoch->();
    ok(wait_until(sub { $epoch->() > $before }), 'it gets on');
    for my $who ([ 'trainer', 1 ], [ 'stranger', 0 ], [ 'watcher', 1 ], [ 'colleague', 1 ], [ 'postgres', 1 ]) {
        is($node->safe_psql('postgres', 'SELECT count(*) FROM sparselin_progress', extra_params => [ '-U', $who->[0] ]),
            $who->[1], "seen by $who->[0]: $who->[1]");
    }
    my $others = join ' + ', map { "(SELECT count(*) FROM pg_stat_progress_$_)" } qw(vacuum analyze cluster create_index basebackup);
    is($node->safe_psql('postgres', "SELECT $others"), 0, 'other views pass over it');
    like($node->safe_psql('postgres', "SELECT query FROM pg_stat_activity WHERE pid = @{[$query->pid]}"), qr/casgd_train/,
        'pg_stat_activity shows the query');
    $query->cancel;
    is(shown(), 0, 'nothing once it is cancelled');
}

# Rows that come in and are learned from as they do; a subtransaction that aborts, which ends what is shown, does so for a
# moment only.
{
    my $query = background_query($node, "SELECT onepass_train(x, y) FROM (SELECT slowly(x, id % 3 = 0) AS x, y FROM rows) AS r");
    is(seen($query, "rows > 100", "learner, phase, model, done, epoch, epochs, ends_at"), 'onepass|reading rows|||||', 'rows come in');
    my $rows = sub { return seen($query, 'rows > 0', 'rows') };
    my $before = $rows->();
    ok(wait_until(sub { $rows->() > $before }), 'more of them, whatever subtransactions fail');
    $query->cancel;
    is(shown(), 0, 'and nothing in the end');
}
# A search.
{
    my $query = background_query($node, "SELECT asgd_train(x, y, 'search=true epochs=2000') FROM rows");
    is(seen($query, "phase = 'searching'", 'learner, rows > 0, epochs'), 'asgd|t|2000', 'searching');
    $query->cancel;
}

# Another command that tells of itself keeps its place, and gets it, during training, whenever it wants.
SKIP: {
    skip 'COPY tells of itself from PostgreSQL 14 on', 3 if server_version($node) < 14;
    my $query = background_query($node, "COPY (SELECT casgd_train(x, y, '$endless') FROM rows) TO '/dev/null'");
    my $copies = sub { return $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_progress_copy WHERE pid = @{[$query->pid]}") };
    ok(wait_until(sub { $copies->() == 1 }), 'COPY');
    $node->safe_psql('postgres', 'SELECT pg_sleep(2.5)');
    is($copies->() . shown(), '10', 'goes on telling of itself, and training does not');
    $query->cancel;
    is($copies->() . shown(), '00', 'and nothing in the end');
}
{
    $node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION index_now(id int) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(0.01);
    IF id % 150 = 0 THEN
        CREATE TEMP TABLE t AS SELECT 1 AS a;
        CREATE INDEX ON t (a);
        DROP TABLE t;
    END IF;
    RETURN true;
END $$;
SQL
    my $query = background_query($node, 'SELECT casgd_train(x, index_now(id)) FROM rows');
    my $rows = sub { return seen($query, 'rows > 0', 'rows') };
    my $before = $rows->();
    ok(wait_until(sub { my $now = $rows->(); return $now ne '' && $now > $before + 200 }), 'after a command within, training tells again');
    $query->cancel;
}

# Nothing where the server is told not to track, and no harm.
{
    my $query = background_query($node,
        "SELECT casgd_train(x, y, '$endless') FROM rows WHERE (SELECT set_config('track_activities', 'off', true)) = 'off'");
    $node->safe_psql('postgres', 'SELECT pg_sleep(2.5)');
    is(shown(), 0, 'track_activities = off');
    $query->cancel;
}

# What is over is gone at once, and a training that is fitted by name is seen as any.
{
    $node->safe_psql('postgres', 'SELECT casgd_train(x, y) FROM rows');
    is(shown(), 0, 'nothing of a training that was over soon');
    my $fit = q(SELECT version FROM sparselin_fit('seen', 'SELECT x AS features, y AS label FROM rows', options => 'epochs=1000 search=false'));
    my $query = background_query($node, $fit);
    is(seen($query, 'epoch > 0', 'learner, phase, epochs'), 'casgd|learning|1000', 'fitted by name');
    $query->cancel;
}

done_testing;
