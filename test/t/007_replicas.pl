# Models are values: a standby predicts with them, and logical replication carries them. A standby can train as well, to
# a temporary file where rows do not fit into memory; it only cannot store what it has learned.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my @serial = ('max_parallel_workers_per_gather = 0');
my $primary = new_node('primary', @serial, 'wal_level = logical', 'max_wal_senders = 8', 'max_replication_slots = 8');
$primary->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 40 > 17 AS y,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, 2]) AS x
FROM generate_series(1, 5000) AS id;
CREATE TABLE models (name text PRIMARY KEY, model sparselin_model);
INSERT INTO models SELECT 'kept', casgd_train(x, y ORDER BY id) FROM rows WHERE id <= 4000;
INSERT INTO models SELECT 'streamed', onepass_train(x, y ORDER BY id) FROM rows WHERE id <= 700;
SQL
my $models  = 'SELECT name, md5(model::text) FROM models ORDER BY name';
my $go_on   = '(SELECT sparselin_continue(model, x, y ORDER BY id) FROM rows WHERE id > 4000)';
my $predict = 'SELECT name, sum(sparselin_predict(model, x)::numeric) FROM models, rows GROUP BY name ORDER BY name';

sub same_on {
    my ($node, $sql, $name) = @_;
    my $expected = $primary->safe_psql('postgres', $sql);
    like($expected, qr/\S/, "$name: there is an answer");
    is($node->safe_psql('postgres', $sql), $expected, "$name: the same as on the primary");
}

subtest 'a standby' => sub {
    $primary->backup('base');
    my $standby = PostgreSQL::Test::Cluster->new('standby');
    $standby->init_from_backup($primary, 'base', has_streaming => 1);
    $standby->append_conf('postgresql.conf', 'log_temp_files = 0');
    $standby->start;
    $primary->wait_for_catchup($standby);
    same_on($standby, $models,  'models');
    same_on($standby, $predict, 'predictions');
    my $train = "SET work_mem = 64; SELECT md5(casgd_train(x, y, 'sampling=sequential' ORDER BY id)::text) FROM rows";
    same_on($standby, $train, 'training with a temporary file');
    my $err;
    $standby->psql('postgres', 'SET work_mem = 64; SET client_min_messages = log; SELECT casgd_train(x, y) FROM rows',
        stderr => \$err);
    like($err, qr/temporary file: /, 'rows go to one');
    same_on($standby, "SELECT name, md5($go_on\::text) FROM models ORDER BY name", 'going on');
    fails_like($standby, "UPDATE models SET model = $go_on", qr/read-only transaction/, 'nothing can be stored');
};

my @ways = ('');
push @ways, 'WITH (binary = true)' if server_version($primary) >= 14;
$primary->safe_psql('postgres', 'CREATE PUBLICATION models FOR TABLE models');
my $number = 0;
for my $way (@ways) {
    subtest "logical replication $way" => sub {
        my $name = 'subscriber_' . ++$number;
        my $subscriber = new_node($name);
        $subscriber->safe_psql('postgres', 'CREATE TABLE models (name text PRIMARY KEY, model sparselin_model)');
        my $where = $primary->connstr('postgres') =~ s/'/''/gr;
        $subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '$where' PUBLICATION models $way");
        $subscriber->wait_for_subscription_sync($primary, $name);
        same_on($subscriber, $models, 'the first copy');
        $primary->safe_psql('postgres', "UPDATE models SET model = $go_on");
        $primary->wait_for_catchup($name);
        same_on($subscriber, $models, 'a model that has gone on');
        $subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $name");
    };
}

done_testing;
