# Partitions that are aggregated one by one in a single process: rows that are kept stay within work_mem and one part,
# however many parts there are; the rest lies in a file, and the model is that of one table.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('partitions', 'max_parallel_workers_per_gather = 0', 'shared_buffers = 64MB', 'jit = off',
    'hash_mem_multiplier = 1');

# 130 MB, in few parts and in many.
my $rows_mb = 130;
$node->safe_psql('postgres', <<"SQL") for 40, 160;
CREATE TABLE parted_$_ (id int, part int, kind int, y boolean, x sparsearray) PARTITION BY LIST (part);
ALTER TABLE parted_$_ ALTER x SET STORAGE EXTERNAL;
SELECT format('CREATE TABLE part_$_\_%s PARTITION OF parted_$_ FOR VALUES IN (%1\$s)', i)
FROM generate_series(1, $_) AS i \\gexec
INSERT INTO parted_$_
SELECT i, 1 + i % $_, i / $_ % 8, i % 7 < 3, sparsearray(array_agg(1 + (i * 31 + j * 13) % 20011)::bigint[], array_agg(1 + j % 3))
FROM generate_series(1, 16000) AS i, generate_series(1, 1000) AS j GROUP BY i;
ANALYZE parted_$_;
SQL

my $call = q{asgd_train(x, y, 'sampling=sequential epochs=1 scale=maxabs')};
my @one_by_one = ('enable_partitionwise_aggregate = on', 'cpu_tuple_cost = 1000');
my @hashed = (@one_by_one, 'enable_sort = off');
my @repeated = (@hashed, 'enable_hashjoin = off', 'enable_mergejoin = off', 'enable_material = off');

sub twice { return "SELECT g, m FROM (VALUES (1), (2)) AS v(i) LEFT JOIN ($_[0]) AS s(g, m) ON g > i" }

# The most that a process takes beyond what it took at first, or beyond so much.
sub peak_mb {
    my ($pid, $start) = @_;
    my $peak = $start //= backend_memory_kb($pid);
    while (defined(my $now = backend_memory_kb($pid))) {
        $peak = $now if $now > $peak;
        select undef, undef, undef, 0.01;
    }
    return ($peak - $start) / 1024;
}

sub sorted_lines { return [ sort grep { /\S/ } split /\n/, $_[0] ] }

# A query runs in the plan that is meant, within work_mem, one part, the plan itself (not small with so many parts) and so
# many MB `more`.
sub keeps_to_memory {
    my ($case, $parts, $sql, $plan, $settings, $more) = @_;
    my $set = join '', map { "SET $_; " } @$settings;
    like($node->safe_psql('postgres', "$set EXPLAIN $sql"), $plan, "$case: in parts");
    my $query = background_query($node, "SELECT pg_sleep(0.3); $sql", @$settings);
    my $mb = peak_mb($query->pid);
    my ($status, $out, $err) = $query->finish;
    is($err, '', "$case: it ran");
    cmp_ok($mb, '<', 16 + 0.12 * $parts + $more, sprintf '%s: %.1f MB for %d MB of rows', $case, $mb, $rows_mb);
    is(join(' ', temporary_files($node)), '', "$case: no temporary file is left");
    (my $whole = $sql) =~ s/FROM (parted_\d+)/FROM (SELECT * FROM $1 OFFSET 0) AS v/;
    is_deeply(sorted_lines($out), sorted_lines($node->safe_psql('postgres', "SET work_mem = '1GB'; $whole")),
        "$case: as from one table");
}

for my $parts (40, 160) {
    my $hash = qr/Finalize HashAggregate.*Partial HashAggregate/s;
    my $from = "md5($call\::text) FROM parted_$parts";
    keeps_to_memory("one group, $parts parts", $parts, "SELECT $from", qr/Partial Aggregate/,
        [ @one_by_one, 'work_mem = 256' ], 0);
    keeps_to_memory("groups in a hash table, $parts parts", $parts, "SELECT kind, $from GROUP BY kind",
        $hash, [ @hashed, 'work_mem = 1024' ], 0);
    keeps_to_memory("beside a subplan, $parts parts", $parts,
        "SELECT kind, $from WHERE id > (SELECT 0) GROUP BY kind", $hash, [ @hashed, 'work_mem = 1024' ], 0);
    keeps_to_memory("in a subplan, $parts parts", $parts,
        "WITH s AS MATERIALIZED (SELECT kind, $from GROUP BY kind) SELECT * FROM s", $hash,
        [ @hashed, 'work_mem = 1024' ], 0);
    keeps_to_memory("gone through twice, $parts parts", $parts, twice("SELECT kind, $from GROUP BY kind"),
        qr/Nested Loop.*$hash/s, [ @repeated, 'work_mem = 1024' ], 0);
}

# Sorting leaves the order of a group's rows to chance. The shares that all parts have in a group are merged: an eighth of
# all rows is there at once, shipped.
keeps_to_memory('groups one after the other', 40,
    "SELECT kind, (sparselin_info($call)).rows FROM parted_40 GROUP BY kind", qr/Partial GroupAggregate/,
    [ @one_by_one, 'work_mem = 256', 'enable_hashagg = off' ], $rows_mb / 8);

# What the hash table above has no room for it takes from the parts anew, and they from the file. A part is one group
# here, which is copied as it goes to that table's file and comes from there.
my $twice = twice("SELECT part / 5, md5($call\::text) FROM parted_40 GROUP BY part / 5");
keeps_to_memory('asked for twice', 40, $twice, qr/Nested Loop.*Partial HashAggregate/s, [ @repeated, 'work_mem = 64' ],
    3 * $rows_mb / 40);
my $set = join '', map { "SET $_; " } @repeated, 'work_mem = 64';
like($node->safe_psql('postgres', "$set EXPLAIN (ANALYZE, TIMING OFF) $twice"),
    qr/Partial HashAggregate .*loops=2\).*Seq Scan .*loops=1\)/s, 'parts were asked twice, tables once');

# A worker sends what it has for one part after the other. Up to PostgreSQL 13 the server keeps all that was sent as well.
my $most_in_a_worker = 35 + (server_version($node) < 14 ? $rows_mb : 0);
my @in_a_worker = (
    @one_by_one, 'work_mem = 256', 'max_parallel_workers_per_gather = 2', 'parallel_leader_participation = off',
    'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0');
$set = join '', map { "SET $_; " } @in_a_worker;
like($node->safe_psql('postgres', "$set EXPLAIN SELECT $call FROM parted_160"),
    qr/Parallel Append.*Partial Aggregate/s, 'in a worker: in parts');
my $query = background_query($node, "SELECT pg_sleep(0.3); SELECT $call FROM parted_160", @in_a_worker);
my $worker;
wait_until(sub {
    $worker = $node->safe_psql('postgres',
        'SELECT pid FROM pg_stat_activity WHERE leader_pid = ' . $query->pid . ' LIMIT 1');
    return $worker || !$query->running;
});
SKIP: {
    skip 'there was no worker', 1 if !$worker;
    my $mb = peak_mb($worker, 0);
    cmp_ok($mb, '<', $most_in_a_worker, sprintf 'in a worker: %.1f MB for %d MB of rows', $mb, $rows_mb);
}
is(($query->finish)[2], '', 'in a worker: it ran');

done_testing;
