# Partitions that are aggregated one by one in a single process: rows that are kept stay within work_mem and one part,
# the rest lies in a file, and the model is that of one table.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('partitions', 'max_parallel_workers_per_gather = 0', 'shared_buffers = 64MB', 'jit = off');

# 40 partitions of 13 times work_mem, 130 MB in all.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE parted (id int, part int, kind int, y boolean, x sparsearray) PARTITION BY LIST (part);
ALTER TABLE parted ALTER x SET STORAGE EXTERNAL;
SELECT format('CREATE TABLE part_%s PARTITION OF parted FOR VALUES IN (%1$s)', i) FROM generate_series(1, 40) AS i \gexec
INSERT INTO parted
SELECT i, 1 + i % 40, i / 40 % 8, i % 7 < 3, sparsearray(array_agg(1 + (i * 31 + j * 13) % 20011)::bigint[], array_agg(1 + j % 3))
FROM generate_series(1, 16000) AS i, generate_series(1, 1000) AS j GROUP BY i;
ANALYZE parted;
SQL

my @one_by_one = ('enable_partitionwise_aggregate = on', 'cpu_tuple_cost = 1000');
my $call = q{asgd_train(x, y, 'sampling=sequential epochs=1 scale=maxabs')};
# A group's state is shipped as a whole: here an eighth of a part. Sorting leaves the order of a group's rows to chance.
my %query = (
    'one group' => [ "SELECT md5($call\::text) FROM parted", qr/Partial Aggregate/ ],
    'groups in a hash table' =>
      [ "SELECT kind, md5($call\::text) FROM parted GROUP BY kind", qr/Partial HashAggregate/ ],
    'groups one after the other' =>
      [ "SELECT kind, (sparselin_info($call)).rows FROM parted GROUP BY kind", qr/Partial GroupAggregate/ ]);

for my $case (sort keys %query) {
    my ($sql, $plan) = @{ $query{$case} };
    my $work_mem = $case =~ /hash/ ? 2048 : 256;
    my @settings = (@one_by_one, "work_mem = $work_mem", $case =~ /hash/ ? 'enable_sort = off' : 'enable_hashagg = off');
    my $set = join '', map { "SET $_; " } @settings;
    like($node->safe_psql('postgres', "$set EXPLAIN $sql"), $plan, "$case: in parts");
    my $query = background_query($node, "SELECT pg_sleep(0.3); $sql", @settings);
    my $peak = my $start = backend_memory_kb($query->pid);
    while (defined(my $now = backend_memory_kb($query->pid))) {
        $peak = $now if $now > $peak;
        select undef, undef, undef, 0.01;
    }
    my ($status, $out, $err) = $query->finish;
    is($err, '', "$case: it ran");
    my $mb = ($peak - $start) / 1024;
    cmp_ok($mb, '<', $case eq 'one group' ? 25 : 60, sprintf '%s: %.1f MB for 130 MB of rows', $case, $mb);
    is(join(' ', temporary_files($node)), '', "$case: no temporary file is left");
    (my $whole = $sql) =~ s/FROM parted/FROM (SELECT * FROM parted OFFSET 0) AS v/;
    is_deeply([ sort grep { /\S/ } split /\n/, $out ],
        [ sort split /\n/, $node->safe_psql('postgres', "SET work_mem = '1GB'; $whole") ], "$case: as from one table");
}

done_testing;
