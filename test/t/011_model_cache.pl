# Models that a session keeps ready (sparselin.cache_size): how much memory they take, and that no error, cancel or
# change of the session ever has one scored by another.
use strict;
use warnings;

use ForgedModel;
use SparselinTest;
use Test::More;

my $node = new_node('cache', 'max_parallel_workers_per_gather = 0', 'work_mem = 4MB', 'jit = off');

# Feature 1 of model n weighs n, so that a wrong one shows.
my $function = <<'SQL';
CREATE FUNCTION model(n int, size int) RETURNS sparselin_model LANGUAGE sql AS $$
SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'squared', 'weights',
    (SELECT jsonb_agg(CASE i WHEN 1 THEN n ELSE sin(i) END ORDER BY i) FROM generate_series(1, size) AS i)))
$$
SQL
$node->safe_psql('postgres', <<"SQL");
$function;
CREATE TABLE models AS SELECT n, model(n, 200000) AS model FROM generate_series(1, 20) AS n;
CREATE TABLE large AS SELECT 21 AS n, model(21, 1000000) AS model;
CREATE TABLE rows AS SELECT i AS id, '{1:1}'::sparsearray AS x FROM generate_series(1, 1000) AS i;
VACUUM ANALYZE models, large, rows;
SQL

# What statements of one session print, line by line; errors are among them.
sub session {
    my (@statements) = @_;
    my ($out, $err);
    $node->psql('postgres', join(";\n", map { s/;\s*$//r } @statements) . ';', stdout => \$out, stderr => \$err,
        on_error_stop => 0);
    return wantarray ? ($out, $err) : $out;
}

# Each row is scored by all models, one after the other.
my $alternating = 'SELECT count(*), bool_and(sparselin_predict(m.model, x) = n) '
  . 'FROM (SELECT * FROM rows %s ORDER BY id) AS r, LATERAL (SELECT * FROM models WHERE r.id > 0 OFFSET 0) AS m';

# Memory: what is kept, in kB, now, and the most there ever was during a statement.
SKIP: {
    skip 'pg_backend_memory_contexts comes with PostgreSQL 14', 22 if server_version($node) < 14;
    $node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION kept() RETURNS int VOLATILE LANGUAGE sql AS
$$ SELECT coalesce(sum(total_bytes) / 1024, 0)::int FROM pg_backend_memory_contexts WHERE name LIKE 'sparselin model%' $$;
SQL
    my $most = 'SELECT bool_and(sparselin_predict(m.model, x) = n), max(CASE WHEN id < 3 THEN kept() END) '
      . 'FROM (SELECT * FROM rows WHERE id < 5 ORDER BY id) AS r, LATERAL (SELECT * FROM models WHERE r.id > 0 OFFSET 0) AS m';
    # In kB, of models of 1570 kB: what may be there at any time, one that is being read besides, and what stays.
    for my $case ([ '64MB', '4MB', 20, 20 ], [ '16MB', '4MB', 10, 10 ], [ '4MB', '16MB', 10, 2 ], [ '0', '4MB', 8, 0 ],
        [ '1MB', '64kB', 8, 0 ]) {
        my ($cache, $work, $during, $after) = @$case;
        my ($said, $stays) = split /\n/,
          session("SET sparselin.cache_size = '$cache'", "SET work_mem = '$work'", $most, 'SELECT kept()');
        my ($right, $highest) = split /\|/, $said;
        is($right, 't', "cache_size $cache, work_mem $work: right");
        cmp_ok($highest, '<=', 1570 * ($during + 1), "at most $during models");
        cmp_ok($highest, '>=', 1560 * $during, 'and no less');
        is(int($stays / 1560), $after, "$after models stay");
    }
    # One that is larger than all that may stay leaves the others where they are.
    my $others = 'SELECT bool_and(sparselin_predict(model, x) = n) FROM models, rows WHERE n <= 3 AND id = 1';
    my $of_large = 'SELECT sparselin_predict(model, x) FROM large, rows WHERE id = 1';
    my ($a, $before, $b, $after) =
      split /\n/, session(q(SET sparselin.cache_size = '6MB'), $others, 'SELECT kept()', $of_large, 'SELECT kept()');
    is("$a $b", 't 21', 'a model that is too large to stay');
    is($after, $before, 'makes no other one go');
}

# Whatever becomes of the session.
{
    my $score = 'SELECT sum(sparselin_predict(model, x)) FROM models, rows WHERE id = 1 AND n IN (3, 5)';
    my $out = session("PREPARE p AS $score", 'EXECUTE p', 'DISCARD ALL', $score, "PREPARE p AS $score",
        'BEGIN', 'UPDATE models SET n = n + 1, model = model(n + 1, 1000) WHERE n IN (3, 5)', 'EXECUTE p', 'DISCARD PLANS',
        'EXECUTE p', 'DELETE FROM models WHERE n > 2', 'INSERT INTO models SELECT n, model(n, 1000) FROM generate_series(3, 6) AS n',
        'EXECUTE p', 'ROLLBACK', 'EXECUTE p');
    is($out, "8\n8\n\n\n8\n8", 'DISCARD ALL, UPDATE, DELETE');
}
# By name: one role's model is no other's, and a new version is the one that counts.
{
    my $version = "SELECT version FROM sparselin_fit('mine', 'SELECT x AS features, %s AS label FROM rows', options => 'loss=squared', holdout => 0, replace => true)";
    my $named = q(SELECT round(sparselin_predict('mine', '{1:1}')));
    my ($out, $err) = session(
        'CREATE ROLE other', 'GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values, rows TO other',
        sprintf($version, '4.0'), "PREPARE p AS $named", 'EXECUTE p', 'SET ROLE other', 'EXECUTE p', 'RESET ROLE',
        'EXECUTE p', q(SELECT sparselin_grant('mine', 'other')), 'SET ROLE other', 'EXECUTE p', 'RESET ROLE',
        sprintf($version, '6.0'), 'EXECUTE p', 'BEGIN', sprintf($version, '8.0'), 'EXECUTE p', 'ROLLBACK', 'EXECUTE p',
        'SET ROLE other', 'EXECUTE p', 'RESET ROLE', q(SELECT sparselin_revoke('mine', 'other')), 'SET ROLE other', 'EXECUTE p',
        'RESET ROLE', q(SELECT sparselin_activate('mine', 1)), 'EXECUTE p', q(SELECT sparselin_drop('mine')), 'EXECUTE p');
    my $versions = join ' ', grep { $_ ne '' } split /\n/, $out;
    is($versions, '1 4 4 4 2 6 3 8 6 6 4', 'by name');
    my @errors = $err =~ /(there is no model "mine" that you may use)/g;
    is(scalar(@errors), 3, 'nothing without rights, before and after, nor of what was dropped');
}

# Cancelled at any moment of reading a model.
{
    my $one = 'SELECT sparselin_predict(model, x) FROM large, rows WHERE id = 1';
    my @statements = ('SET sparselin.cache_size = 0', 'SET work_mem = 64');
    push @statements, "SET statement_timeout = $_", $one for map { ($_) x 3 } 1 .. 40;
    # What comes too late for its statement cancels the next one, which may be the end of all that.
    push @statements, ('SET statement_timeout = 0') x 10;
    my ($out, $err) = session(@statements, $one, 'SET sparselin.cache_size = 65536', $one, $one,
        server_version($node) < 14 ? 'SELECT 1'
        : q(SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'sparselin model'));
    my $cancelled = () = $err =~ /canceling statement due to statement timeout/g;
    my @scores = split /\n/, $out;
    cmp_ok($cancelled, '>', 3, "cancelled while it reads: $cancelled of 120");
    is($scores[-1], 1, 'one model is kept, and nothing of those not read to the end');
    is(join(' ', grep { $_ != 21 } @scores[0 .. $#scores - 1]), '', 'all that was said is right');
    cmp_ok(scalar(@scores), '>=', 4, 'and said in the end');
}

# Out of memory at any moment of reading a model: an error, and the next statement goes on.
SKIP: {
    skip 'prlimit is not there', 2 if system('prlimit --version >/dev/null 2>&1') != 0;
    $node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION limit_memory(text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', format('prlimit --pid %s --as=%s:unlimited', pg_backend_pid(),
        CASE $1 WHEN 'unlimited' THEN $1 ELSE format('$(( $(awk ''/VmSize/ { print $2 }'' /proc/%s/status) * 1024 + %s ))', pg_backend_pid(), $1) END));
END $$;
SQL
    my $one = 'SELECT sparselin_predict(model, x) FROM large, rows WHERE id = 1';
    my $small = 'SELECT sparselin_predict(model, x) FROM models, rows WHERE n = 7 AND id = 1';
    my @statements = ('SET sparselin.cache_size = 0', 'SET work_mem = 64', $small);
    push @statements, "SELECT 'limit' FROM limit_memory('" . $_ * 1000000 . "')", $one, $small,
      "SELECT 'limit' FROM limit_memory('unlimited')"
      for 1 .. 30;
    my ($out, $err) = session(@statements, $one, $small);
    my $failed = () = $err =~ /out of memory/g;
    cmp_ok($failed, '>', 3, "out of memory: $failed");
    my @scores = grep { $_ ne 'limit' } split /\n/, $out;
    is(join(' ', grep { $_ != 7 && $_ != 21 } @scores), '', 'all that was said is right');
    is("@scores[-2, -1]", '21 7', 'and said in the end');
    is($node->safe_psql('postgres', 'SELECT 1'), 1, 'the server lives');
}

# In several processes, each with its own.
{
    my @parallel = map { "SET $_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size);
    my $all = 'SELECT count(*), bool_and(sparselin_predict(model, x) = n) FROM rows JOIN models ON id % 20 = n % 20';
    my @all = (@parallel, 'SET max_parallel_workers_per_gather = 2', "SET sparselin.cache_size = '8MB'");
    like(session(@all, "EXPLAIN $all"), qr/Partial Aggregate/, 'a parallel plan');
    is(session(@all, $all, $all), "1000|t\n1000|t", 'in parallel');
}

# Set for all sessions while one is under way.
{
    my $all = sprintf $alternating, 'WHERE id < 4';
    my @set = map { ("ALTER SYSTEM SET sparselin.cache_size = '$_'", 'SELECT pg_reload_conf()', 'SELECT pg_sleep(0.1)', $all, 'SHOW sparselin.cache_size') } '5MB', '0', '64MB';
    my $out = session('LOAD \'sparselin\'', $all, @set, 'ALTER SYSTEM RESET sparselin.cache_size', 'SELECT pg_reload_conf()');
    (my $said = $out) =~ s/\n+/ /g;
    is($said, '60|t t 60|t 5MB t 60|t 0 t 60|t 64MB t', 'ALTER SYSTEM');
}

# Fingerprints are no cryptography: whoever knows a model can make another one with the same. It passes for that model in
# what its maker does himself, and nowhere else.
{
    $node->safe_psql('postgres', <<'SQL');
CREATE ROLE guard;
CREATE ROLE forger;
CREATE TABLE guarded AS SELECT model(100, 1000) AS model;
CREATE TABLE forged (model sparselin_model);
GRANT SELECT ON guarded TO guard;
GRANT SELECT ON forged TO forger;
CREATE FUNCTION judge(x sparsearray) RETURNS float8 SECURITY DEFINER LANGUAGE sql AS $$ SELECT sparselin_predict(model, x) FROM guarded $$;
ALTER FUNCTION judge OWNER TO guard;
SQL
    my $genuine = pack 'H*', $node->safe_psql('postgres', q(SELECT encode(sparselin_model_send(model), 'hex') FROM guarded));
    my $file = $node->basedir . '/forged';
    my $row = 'sparsearray(array_agg(i), array_agg(1))';
    my $taken = wait_until(sub {
        my $forged = forged($genuine, int(rand(2**40)));
        open my $out, '>:raw', $file or die $!;
        print $out "PGCOPY\n\xff\r\n\0", pack('N2 n N', 0, 0, 1, length $forged), $forged, pack('n', 0xffff);
        close $out;
        return $node->psql('postgres', "COPY forged FROM '$file' BINARY") == 0;
    }, 20);
    ok($taken, 'a model with the fingerprint of another one');
    my $both = "(SELECT $row AS x FROM generate_series(1, 1000) AS i) AS r";
    my $used = "SELECT sparselin_predict(model, x) FROM forged, $both";
    my $honest = $node->safe_psql('postgres', "SELECT judge(x) FROM $both");
    my @said = split /\n/, session('SET ROLE forger', $used, $used, "SELECT judge(x) FROM $both");
    isnt($said[0], $honest, 'says something else');
    is($said[1], $said[0], 'and again');
    is($said[2], $honest, 'but not for a SECURITY DEFINER function that asks the other one');
}

# The extension itself goes, and comes again.
{
    my @again = ('DROP EXTENSION sparselin CASCADE', 'CREATE EXTENSION sparselin', 'DROP TABLE models, large',
        $function, 'CREATE TABLE models AS SELECT n, model(n, 200000) AS model FROM generate_series(1, 3) AS n',
        q(ALTER TABLE rows ADD COLUMN x sparsearray DEFAULT '{1:1}'));
    my $fit = q(SELECT version FROM sparselin_fit('named', 'SELECT x AS features, 1.5 AS label FROM rows', options => 'loss=squared', holdout => 0));
    my $by_name = q(SELECT sparselin_predict('named', '{1:1}') > 1);
    my ($out, $err) = session('SET client_min_messages = error', sprintf($alternating, 'WHERE id = 1'), $fit, $by_name, @again,
        sprintf($alternating, 'WHERE id = 1'), $by_name, $fit, $by_name);
    is($out, "20|t\n1\nt\n3|t\n1\nt", 'DROP EXTENSION and CREATE again');
    like($err, qr/there is no model "named"/, 'what was kept by name is gone');
}

done_testing;
