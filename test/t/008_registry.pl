# Models kept by name, outside of one session: dumped and restored by the owner of a database who is no superuser, used
# on a standby, and retrained by backends that are killed.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('registry');
$node->init(allows_streaming => 1, extra => [ '--no-locale', '-E', 'UTF8' ]);
$node->append_conf('postgresql.conf', "fsync = off\nrestart_after_crash = on\n");
$node->start;

sub as {
    my ($user, $database, $sql, $server) = @_;
    my ($status, $out, $err) = ($server // $node)->psql($database, $sql, on_error_stop => 1, extra_params => [ '-U', $user ]);
    die "as $user: $sql\n$err" if $status;
    return $out;
}

# The extension and its tables belong to ann, who owns the database; the schema has a name to quote.
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") for qw(ann bob gone);
$node->safe_psql('postgres', 'CREATE ROLE team; GRANT team TO bob');
$node->safe_psql('postgres', 'CREATE DATABASE hers OWNER ann');
my $tables = join ', ', map { qq("My models".sparselin_$_) } qw(registry models model_values);
as('ann', 'hers', <<"SQL");
CREATE SCHEMA "My models";
CREATE EXTENSION sparselin SCHEMA "My models";
GRANT USAGE ON SCHEMA "My models" TO public;
GRANT SELECT, INSERT, UPDATE, DELETE ON $tables TO bob, gone, team;
SET search_path = public, "My models";
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i], ARRAY[1, 1, 1]) AS features, i % 20 < 6 AS label
FROM generate_series(1, 300) AS i;
GRANT SELECT ON rows TO public;
SQL
is($node->safe_psql('hers', 'SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relname LIKE $$sparselin\_%$$ AND relkind = $$r$$'),
    'ann', 'the tables are the database owner\'s');

my $path = 'SET search_path = public, "My models"; SET client_min_messages = error; ';
my $query = '$$SELECT features, label FROM rows WHERE $1 IS NOT NULL ORDER BY id$$';
as('ann', 'hers', "$path SELECT sparselin_fit('hers', $query); SELECT sparselin_retrain('hers'); SELECT sparselin_activate('hers', 1)");
as('bob', 'hers', "$path SELECT sparselin_fit('his ''own''', $query, 'onepass', 'seed=7'); SELECT sparselin_grant('his ''own''', 'ann')");
as('bob', 'hers', "$path SET ROLE team; SELECT sparselin_fit('of the team', $query, holdout => 0)");
as('gone', 'hers', "$path SELECT sparselin_fit('orphan', $query); SELECT sparselin_grant('orphan', 'public')");
as('bob', 'hers', "$path SELECT sparselin_keep('kept', model) FROM sparselin_model_values WHERE name = 'his ''own'''");
# A failure is dumped like all else.
as('ann', 'hers', "$path ALTER TABLE rows RENAME label TO other");
as('bob', 'hers', "$path SELECT sparselin_retrain('his ''own''')");
as('ann', 'hers', "$path ALTER TABLE rows RENAME other TO label");
$node->safe_psql('hers', 'DROP OWNED BY gone; DROP ROLE gone');
is(as('ann', 'hers', "$path SELECT count(*), count(failure) FROM sparselin_models"), '7|1', 'who owns the tables sees all models');
is(as('bob', 'hers', "$path SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM sparselin_models"),
    q(his 'own', kept, of the team, orphan), 'others see theirs, with an owner gone as well');

# All of it, as bytes that go into a dump and come out of it.
my $content = $path . join ' UNION ALL ',
  map { "SELECT '$_', count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM sparselin_$_ AS t" } qw(registry models model_values);
my $expected = $node->safe_psql('hers', $content);

my $elsewhere = PostgreSQL::Test::Cluster->new('elsewhere');
$elsewhere->init(extra => [ '--no-locale', '-E', 'UTF8' ]);
$elsewhere->append_conf('postgresql.conf', "fsync = off\n");
$elsewhere->start;
$elsewhere->safe_psql('postgres', "CREATE ROLE $_ LOGIN") for qw(zoe team bob ann);
my $number = 0;
# With several jobs the largest table is filled first.
for my $way ([$node], [ $node, '--inserts' ], [ $node, '-Fc' ], [ $node, '-Fd' ], [ $elsewhere, '--no-privileges' ]) {
    my ($target, @how) = @$way;
    my $name = 'restored_' . ++$number;
    my $dump = "$dir/$name.dump";
    $node->command_ok([ 'pg_dump', '-U', 'ann', @how, '-f', $dump, $node->connstr('hers') ], "she can dump it @how");
    $target->safe_psql('postgres', "CREATE DATABASE $name OWNER ann");
    my @restore = "@how" =~ /^-F/
      ? ('pg_restore', '--exit-on-error', "@how" eq '-Fd' ? '--jobs=2' : (), '-U', 'ann', '-d', $target->connstr($name), $dump)
      : ('psql', '-Xq', '-U', 'ann', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $target->connstr($name));
    $target->command_ok(\@restore, 'she can restore it');
    is($target->safe_psql($name, $content), $expected, 'nothing is missing, nothing else');
    next if $target == $elsewhere;
    is(as('bob', $name, "$path SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM sparselin_models"),
        q(his 'own', kept, of the team, orphan), 'everybody sees what they saw');
    is(as('bob', $name, "$path SELECT version, active FROM sparselin_retrain('his ''own''')"), '3|t',
        'the numbers of versions go on, and the query runs under its search_path');
    is(as('ann', $name, "$path SELECT metric, score_psi IS NOT NULL, expected_unweighted IS NOT NULL FROM sparselin_drift('hers')"),
        'log_loss|t|t', 'rows can be compared with what they were');
    is(as('ann', $name, "$path SELECT version FROM sparselin_retrain('hers'); "
                . "SELECT value = previous_value, still_held_out FROM sparselin_models WHERE name = 'hers' AND version = 3"),
        "3\nt|1", 'versions are compared with what was measured');
    is(as('ann', $name, "$path SELECT version, active FROM sparselin_retrain('hers', mode => 'continue', tolerance => 'Infinity')"),
        '4|t', 'a model can go on learning');
    is(as('bob', $name, "$path SELECT query IS NULL, sparselin_predict('kept', '{1:1}') = sparselin_predict(model, '{1:1}') "
                . "FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE name = 'kept'"),
        't|t', 'what was kept without a query is there');
}

# Killed, cancelled or out of time: nothing is left, and nobody is held up.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION sparselin;
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i], ARRAY[1, 1, 1]) AS features, i % 20 < 6 AS label
FROM generate_series(1, 300) AS i;
CREATE TABLE pause (seconds float8);
INSERT INTO pause VALUES (0);
CREATE FUNCTION pause() RETURNS text LANGUAGE sql AS 'SELECT pg_sleep(max(seconds))::text FROM pause';
SELECT sparselin_fit('scans', 'SELECT features, label, pause() FROM rows ORDER BY id');
SELECT sparselin_fit('learns', 'SELECT features, label FROM rows, generate_series(0, (SELECT seconds::int * 100000 FROM pause)) ORDER BY id',
    options => 'epochs=1000');
SQL
my $state = "SELECT name, version, active, failure FROM sparselin_models WHERE name IN ('scans', 'learns') ORDER BY 1, 2";
my $before = $node->safe_psql('postgres', $state);
my $scores = "SELECT sparselin_predict('scans', '{1:1}'), sparselin_predict('learns', '{1:1}')";
my $score = $node->safe_psql('postgres', $scores);
$node->safe_psql('postgres', 'UPDATE pause SET seconds = 60');
my %end = (
    'killed' => sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[0])") },
    'cancelled' => sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($_[0])") });
for my $model ('scans', 'learns') {
    for my $how ('killed', 'cancelled') {
        my $retraining = background_query($node, "SELECT sparselin_retrain('$model')");
        my $wait = $model eq 'scans' ? "wait_event = 'PgSleep'" : 'wait_event IS NULL';
        ok(wait_until(sub { $node->safe_psql('postgres', "SELECT $wait FROM pg_stat_activity WHERE pid = " . $retraining->pid) eq 't' }),
            "$model: under way");
        fails_like($node, "SELECT sparselin_retrain('$model')", qr/is being trained or changed by another session/,
            "$model: nobody else retrains meanwhile");
        is($node->safe_psql('postgres', $scores), $score, "$model: everybody predicts meanwhile");
        $end{$how}->($retraining->pid);
        my ($status, $out, $err) = $retraining->finish;
        isnt($status, 0, "$model: $how");
        is($node->safe_psql('postgres', $state), $before, "$model, $how: no trace, the active version stays");
        is($node->safe_psql('postgres', $scores), $score, "$model, $how: it predicts as before");
        is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation "
              . "WHERE c.relname LIKE 'sparselin%'"), '0', "$model, $how: no lock is left");
    }
}
$node->safe_psql('postgres', 'UPDATE pause SET seconds = 0');
is($node->safe_psql('postgres', "SELECT version, active FROM sparselin_retrain('$_')"), '2|t', "$_: the next retraining works") for 'scans', 'learns';

# A server that loses a backend altogether starts again with what was committed.
$node->safe_psql('postgres', 'UPDATE pause SET seconds = 60');
$score = $node->safe_psql('postgres', $scores);
my $retraining = background_query($node, "SELECT sparselin_retrain('scans')");
wait_until(sub { $node->safe_psql('postgres', "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = " . $retraining->pid) eq 't' });
kill 'KILL', $retraining->pid;
$retraining->finish;
ok($node->poll_query_until('postgres', 'SELECT true'), 'the server is back after SIGKILL');
is($node->safe_psql('postgres', $scores), $score, 'and predicts as before');
$node->safe_psql('postgres', 'UPDATE pause SET seconds = 0');
is($node->safe_psql('postgres', "SELECT active FROM sparselin_retrain('scans')"), 't', 'and retrains');

# On a standby models are used by name, and follow the primary.
$node->backup('one');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'one', has_streaming => 1);
$standby->start;
is($standby->safe_psql('postgres', $scores), $node->safe_psql('postgres', $scores), 'a standby predicts by name');
fails_like($standby, "SELECT sparselin_retrain('scans')", qr/read-only transaction|during recovery/, 'but does not retrain');
fails_like($standby, "SELECT sparselin_predict('scan', '{1:1}')", qr/Perhaps you meant "scans"/, 'nor invent names');
$node->safe_psql('postgres', "SELECT sparselin_fit('scans', 'SELECT features, NOT label AS label FROM rows', replace => true)");
my $new = $node->safe_psql('postgres', $scores);
ok($standby->poll_query_until('postgres', $scores, $new), 'and takes the new version when it arrives');

done_testing;
