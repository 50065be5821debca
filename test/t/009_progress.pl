# sparselin.progress_interval: notices now and then of how training gets on, which change nothing.
use strict;
use warnings;

use SparselinTest;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('progress', 'max_parallel_workers_per_gather = 0', 'work_mem = 64MB', 'jit = off');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 100 AS part, id % 40 > 17 AS y,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, 2]) AS x
FROM generate_series(1, 200000) AS id;
VACUUM ANALYZE rows;
SQL

# The notices of a query, its output, and how long it took, in seconds.
sub notices {
    my ($sql, @settings) = @_;
    my ($out, $err);
    my $start = time;
    $node->psql('postgres', join('; ', (map { "SET $_" } @settings), $sql), stdout => \$out, stderr => \$err,
        on_error_die => 1);
    my @lines = map { /NOTICE:  (.*)/ ? $1 : () } split /\n/, $err;
    return (\@lines, $out, time - $start);
}

my $often = 'sparselin.progress_interval = 20';
my $loss = qr/, progressive loss [\d.e+-]+/;
my $coming = qr/^\w+: [1-9]\d* rows, \d+ a second/;
my $at_work = qr/before epoch 1 of \d+|epoch [1-9]\d* of \d+|after epoch [1-9]\d*/;
my $work = qr/^\w+: (model \d+, )?($at_work), \d+ % of [1-9]\d* rows, \d+ a second($loss)?(, ends in about [\d.]+ (s|min|h))?$/;

sub all_like {
    my ($lines, $pattern, $name) = @_;
    my @others = grep { $_ !~ $pattern } @$lines;
    is(join("\n", @others), '', sprintf '%s: %d notices', $name, scalar @$lines);
}

my $md5 = 'SELECT md5(%s::text) FROM rows';
for my $case (
    [ 'kept in memory',  "casgd_train(x, y, 'epochs=20')",                qr/$coming$|$work/,      qr/epoch (\d+) of 20/ ],
    [ 'looked at first', "asgd_train(x, y, 'epochs=20 scale=std')",       qr/$coming$|$work/,      qr/epoch (\d+) of 20/ ],
    [ 'in the file',     "asgd_train(x, y, 'epochs=20')",                 qr/$coming$|$work/,      qr/epoch (\d+) of 20/,
        'work_mem = 256' ],
    [ 'drawn, from the file', "asgd_train(x, y, 'epochs=2 sampling=replacement')", qr/$coming$|$work/, qr/epoch (\d+) of 2/,
        'work_mem = 256' ],
    [ 'streaming',       "onepass_train(x, y ORDER BY id)",               qr/$coming$loss$|$work/, qr/(\d+) rows/ ]) {
    my ($name, $call, $pattern, $number, @settings) = @$case;
    my $sql = sprintf $md5, $call;
    my ($none, $undisturbed) = notices($sql, @settings);
    is(join("\n", @$none), '', "$name: silent by default");
    my ($lines, $out, $seconds) = notices($sql, @settings, $often);
    all_like($lines, $pattern, $name);
    is($out, $undisturbed, "$name: the same model");
    cmp_ok(scalar(@$lines), '>', 0, "$name: something");
    cmp_ok(scalar(@$lines), '<=', $seconds / 0.02 + 1, "$name: one each interval at most");
    my @numbers = map { $_ =~ $number ? $1 : () } @$lines;
    is("@numbers", join(' ', sort { $a <=> $b } @numbers), "$name: it goes forward: @numbers");
    cmp_ok(scalar(@numbers), '>', 0, "$name: numbered");
}

# Groups share the interval, one after the other or all at a time, and so do aggregates.
for my $plan ('enable_sort = off', 'enable_hashagg = off') {
    my ($lines, $out, $seconds) =
      notices('SELECT count(m), count(n) FROM (SELECT part, asgd_train(x, y) AS m, casgd_train(x, y, $$loss=hinge$$) AS n '
          . 'FROM rows GROUP BY part) AS v', $plan, $often);
    is($out, '100|100', "$plan: all groups");
    all_like($lines, qr/$coming|$work|differ in scale|one class|alone tells/, $plan);
    my @progress = grep { /a second/ } @$lines;
    cmp_ok(scalar(@progress), '>', 1, "$plan: several");
    cmp_ok(scalar(@progress), '<=', $seconds / 0.02 + 1, "$plan: one each interval at most");
    ok((grep { /model [1-9]\d+, epoch/ } @progress), "$plan: which of the models");
}

# Going on, and merging, in the same words.
{
    my ($lines) = notices('SELECT sparselin_continue(m, x, y) IS NULL '
          . 'FROM rows, (SELECT casgd_train(x, y) AS m FROM rows WHERE id <= 1000) AS v', $often);
    all_like($lines, qr/$coming|$work/, 'going on');
    ok(scalar(@$lines), 'going on: something');
}

# Parallel workers say nothing; the leader tells of its own rows, and of the epochs.
{
    my @parallel = map { "$_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size);
    for my $leader ('on', 'off') {
        my ($lines, $out) = notices(
            'SELECT (sparselin_info(m)).rows FROM (SELECT casgd_train(x, y, $$epochs=20$$) AS m FROM rows) AS v',
            @parallel, 'max_parallel_workers_per_gather = 2', "parallel_leader_participation = $leader", $often);
        is($out, 200000, 'in parallel');
        all_like($lines, qr/$coming$|$work/, "in parallel, leader $leader");
        my @others = grep { /^casgd: (\d+) rows/ && $1 > ($leader eq 'on' ? 200000 : 0) } @$lines;
        is("@others", '', 'no rows but those of the leader');
        ok((grep { /epoch \d+ of 20/ } @$lines), 'epochs');
    }
}

# The clock of a query ends with it, however it ends; another one begins anew.
{
    # Far longer than such a query takes, also where others are at work; which is long enough to hear an old clock.
    my $interval = 'sparselin.progress_interval = 400';
    my $few = 'SELECT (sparselin_info(casgd_train(x, y))).rows FROM rows WHERE id <= 100';
    my ($lines, $out) = notices("$few; SELECT pg_sleep(0.45); $few; SELECT pg_sleep(0.45); $few", $interval);
    is(join("\n", @$lines), '', 'nothing of queries that are over');
    my ($output, $err);
    $node->psql('postgres', <<"SQL", stdout => \$output, stderr => \$err, on_error_stop => 0);
SET $interval;
SELECT casgd_train(x, CASE WHEN id < 199999 THEN y::int ELSE 7 END, 'epochs=1') FROM rows;
SET statement_timeout = 300;
SELECT casgd_train(x, y, 'epochs=100000') FROM rows;
SET statement_timeout = 0;
SELECT pg_sleep(0.45);
$few;
DO \$\$
DECLARE n bigint;
BEGIN
    BEGIN
        PERFORM casgd_train(x, CASE WHEN id < 199999 THEN y::int ELSE 7 END) FROM rows;
    EXCEPTION WHEN invalid_parameter_value THEN NULL;
    END;
    PERFORM pg_sleep(0.45);
    $few INTO n;
    RAISE WARNING 'learned from %', n;
END \$\$;
SELECT pg_sleep(0.45);
SET sparselin.progress_interval = 0;
$few;
SQL
    like($err, qr/row 199999: label 7 is not a class/, 'an error');
    like($err, qr/canceling statement due to statement timeout/, 'a timeout');
    like($err, qr/learned from 100/, 'an error that was caught');
    unlike($err, qr/casgd: 100 rows|of 100 rows/, 'nothing is said of queries that are short');
    is($output, "\n100\n\n100", 'and all is as it was');
}

# One that trains inside of one that trains.
{
    my $inner = '(SELECT (sparselin_info(asgd_train(x, y))).rows FROM rows AS i WHERE i.id <= o.id)';
    my ($lines, $out) =
      notices("SELECT (sparselin_info(casgd_train(x, y AND $inner > 0))).rows FROM rows AS o WHERE o.id <= 200", $often);
    is($out, 200, 'one inside of another');
    all_like($lines, qr/$coming|$work|one class/, 'one inside of another');
}

fails_like($node, 'SELECT sparsearray_nnz($${1:1}$$); SET sparselin.progress_interval = -1', qr/outside the valid range/,
    'not below 0');

done_testing;
