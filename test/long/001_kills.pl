# Backends that are killed in the middle of training, many times and in every stage: the server recovers, keeps no
# temporary file, and goes on.
use strict;
use warnings;

use SparselinTest;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_node('kills', 'log_statement = none', 'restart_after_crash = on');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 40 > 17 AS y,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, 2]) AS x
FROM generate_series(1, 20000) AS id;
CREATE TABLE models AS SELECT casgd_train(x, y) AS m FROM rows;
SQL
my $content = 'SELECT md5(m::text) FROM models';
my $before  = $node->safe_psql('postgres', $content);

my @queries = (
    "INSERT INTO models SELECT casgd_train(x, y, 'epochs=1000000') FROM rows",
    "INSERT INTO models SELECT casgd_train(x, y, 'epochs=1000000 sampling=replacement') FROM rows",
    "INSERT INTO models SELECT casgd_train(r.x, r.y) FROM rows AS r, generate_series(1, 100000)",
    'INSERT INTO models SELECT casgd_train(r.x, r.y) FROM rows AS r, generate_series(1, 100000) AS g GROUP BY r.id, g');

sub one_kill {
    my ($query, $round, $how) = @_;
    my $running = background_query($node, $query, $round % 2 ? 'work_mem = 64' : "work_mem = '64MB'");
    sleep rand 0.5;
    if ($how eq 'KILL') {
        kill 'KILL', $running->pid;
    } else {
        $node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $running->pid . ')');
    }
    my ($status) = $running->finish;
    return $status != 0;
}

sub recovered {
    return wait_until(sub { ($node->psql('postgres', 'SELECT 1'))[0] == 0 });
}

srand 5;
for my $how ('terminated', 'KILL') {
    for my $query (@queries) {
        my ($died, $back, $files) = (0, 0, 0);
        my $rounds = $how eq 'KILL' ? 8 : 40;
        for my $round (1 .. $rounds) {
            $died += one_kill($query, $round, $how);
            $back += recovered();
            $files += () = temporary_files($node);
        }
        is("$died $back $files", "$rounds $rounds 0", "$how $rounds times: recovered, no temporary file; $query");
        is($node->safe_psql('postgres', $content), $before, 'the models are what they were');
    }
}
my $again = 'SELECT (sparselin_info(casgd_train(x, y))).rows FROM rows';
is($node->safe_psql('postgres', $again), 20000, 'training goes on');

done_testing;
