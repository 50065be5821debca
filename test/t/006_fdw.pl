# Training where the rows are: two remote servers behind a partitioned table of foreign tables. Grouped by the partition
# key, the training aggregates are shipped whole; what is not shipped gives the same, only slower.
use strict;
use warnings;

use SparselinTest;
use Test::More;

# To group by sorting would change the order of rows within a part. (That is the remotes' business: from 16 on the
# coordinator sorts models for the aggregate above, and ships nothing when it is kept from that.)
my $serial = 'max_parallel_workers_per_gather = 0';
my @remotes = map { new_node("remote_$_", $serial, 'enable_sort = off') } 1, 2;
my $node = new_node('coordinator', $serial, 'enable_partitionwise_aggregate = on');
plan skip_all => 'postgres_fdw is not installed'
  if !$node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});

# Four parts, two to a remote; a label of each kind; weights, of which some are 0 or NULL.
my $make_rows = <<'SQL';
CREATE TABLE rows AS
SELECT id, 1 + id % 4 AS part, id % 40 > 17 AS y, (id % 40) / 4.0::float8 AS amount, nullif(id % 5, 3)::float8 AS w,
       (ARRAY['two words', 'b', 'B'])[1 + id % 3] AS class,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333, 900 + id % 1000]::bigint[], ARRAY[1, 0.5, id % 7]) AS x
FROM generate_series(1, 6000) AS id
WHERE 1 + id % 4 IN (%s);
ANALYZE rows;
SQL
$node->safe_psql('postgres', sprintf $make_rows, '1, 2, 3, 4');
my @parts = ('1, 3', '2, 4');
my $columns = 'id int, part int, y boolean, amount float8, w float8, class text, x sparsearray';
my $foreign = "CREATE EXTENSION postgres_fdw; CREATE TABLE t ($columns) PARTITION BY LIST (part);"
  . "CREATE TABLE gated ($columns) PARTITION BY LIST (part); CREATE TABLE plain ($columns) PARTITION BY LIST (part);";
my $async = server_version($node) >= 14 ? ", async_capable 'true'" : '';
for my $i (0, 1) {
    my $remote = $remotes[$i];
    $remote->safe_psql('postgres', sprintf $make_rows, $parts[$i]);
    # A view that waits until the test lets it go on.
    $remote->safe_psql('postgres', 'CREATE VIEW gated AS SELECT rows.* FROM pg_advisory_lock_shared(1) AS gate, rows');
    my $where = sprintf "host '%s', port '%s', dbname 'postgres'", $remote->host, $remote->port;
    for my $server ([ 'ships', "$where, extensions 'sparselin'$async", 't', 'gated' ], [ 'bare', $where, 'plain' ]) {
        my ($name, $options, @tables) = @$server;
        $foreign .= "CREATE SERVER ${name}_$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options);"
          . "CREATE USER MAPPING FOR CURRENT_USER SERVER ${name}_$i;";
        for my $table (@tables) {
            my $there = $table eq 'gated' ? 'gated' : 'rows';
            $foreign .= "CREATE FOREIGN TABLE ${table}_$i PARTITION OF $table FOR VALUES IN ($parts[$i]) "
              . "SERVER ${name}_$i OPTIONS (table_name '$there');";
        }
    }
}
# As long as nothing is known of the tables, fetching the rows may seem cheaper.
$node->safe_psql('postgres', "$foreign ANALYZE t_0, t_1, gated_0, gated_1");

# Two that are NULL are no two that are the same.
sub answer {
    my $answer = $node->safe_psql('postgres', join '; ', @_);
    die "no answer to @_" if $answer eq '';
    return $answer;
}
sub plan_of { return answer("EXPLAIN (VERBOSE, COSTS OFF) $_[0]") }
sub count_in { my ($text, $pattern) = @_; return scalar(() = $text =~ /$pattern/g) }

# The form for all engines: a model for each part, then one of all. Models may arrive in any order.
sub grouped {
    my ($call, $table) = @_;
    return "SELECT sparselin_merge(m ORDER BY part) FROM (SELECT part, $call AS m FROM $table GROUP BY part) AS s";
}

my %calls = (
    'defaults' => [ 'casgd_train(x, y)', qr/casgd_train\(x, y\)/ ],
    'options' =>
      [ "asgd_train(x, y, sparselin_options(loss => 'hinge', lambda => 1e-3, epochs => 2))",
        qr/asgd_train\(x, y, '[^']*loss=hinge[^']*lambda=0\.001[^']*epochs=2[^']*'::public\.sparselin_options\)/ ],
    'options as text' =>
      [ "sgd_train(x, y, 'epochs=1 sampling=sequential lambda=1e-2')",
        qr/sgd_train\(x, y, '[^']*lambda=0\.01[^']*'::public\.sparselin_options\)/ ],
    'a number and a weight' =>
      [ "casgd_train(x, amount, 'loss=squared scale=std', w)",
        qr/casgd_train\(x, amount, '[^']*scale=std[^']*'::\S+, w\)/ ],
    'a weight without options' => [ 'onepass_train(x, y, NULL, w)', qr/onepass_train\(x, y, NULL::\S+, w\)/ ],
    'classes' => [ "sparselin_train(x, class, 'loss=multinomial')", qr/sparselin_train\(x, class, '/ ],
    'classes that come' => [ 'onepass_train(x, class)', qr/onepass_train\(x, class\)/ ],
    'an expression' => [ "truncated_train(x * 2, amount > 5)", qr/truncated_train\(/ ],
    'rows in order' => [ 'elasticnet_train(x, y ORDER BY id DESC)', qr/elasticnet_train\(x, y ORDER BY id DESC/ ],
    'rows of a filter' => [ 'asgd_train(x, y) FILTER (WHERE id % 3 > 0)', qr/asgd_train\(x, y\) FILTER \(WHERE/ ]);

for my $name (sort keys %calls) {
    my ($call, $remote_call) = @{ $calls{$name} };
    my $plan = plan_of(grouped($call, 't'));
    is(count_in($plan, qr/Remote SQL: SELECT .*$remote_call.* GROUP BY/), 2, "$name: both remotes train");
    is(count_in($plan, qr/Relations: Aggregate on/), 2, "$name: nothing but models travels");
    is(count_in($plan, qr/Async Foreign Scan/), $async ? 2 : 0, "$name: at the same time");
    my $same = "SELECT count(t::text), count(*) FILTER (WHERE t::text = l::text) "
      . "FROM (SELECT (%s) AS t, (%s) AS l) AS both_models";
    is(answer(sprintf $same, grouped($call, 't'), grouped($call, 'rows')), '1|1', "$name: the model of the local rows");
}

my $hinge = answer(grouped($calls{options}[0], 't'));
is( answer("SELECT loss, lambda, epochs, rows FROM sparselin_info('$hinge'::sparselin_model)"), 'hinge|0.001|2|6000',
    'options have travelled, and all rows were learned from');

sub on_both {
    my ($found) = @_;
    my $missing = sub { $_[0]->safe_psql('postgres', "SELECT NOT EXISTS (SELECT $found)") eq 't' };
    return wait_until(sub { !grep { $missing->($_) } @remotes }, 20);
}

# Both are seen at work at once: each waits for a lock that only the test can lift.
SKIP: {
    skip 'no asynchronous scans before PostgreSQL 14', 3 if !$async;
    my @gates = map { background_query($_, 'SELECT pg_advisory_lock(1), pg_sleep(60)') } @remotes;
    on_both("FROM pg_locks WHERE locktype = 'advisory' AND granted") or BAIL_OUT('no lock');
    my $query = background_query($node, grouped('asgd_train(x, y, $$settle=false$$)', 'gated'));
    ok( on_both("FROM pg_stat_activity WHERE wait_event = 'advisory' AND application_name = 'postgres_fdw'"),
        'both remotes are at work at once');
    $_->cancel for @gates;
    my ($status, $out, $err) = $query->finish;
    is($err, '', 'the query ends');
    is($out, answer(grouped('asgd_train(x, y, $$settle=false$$)', 'rows')) . "\n", 'and gives the model of the local rows');
}

# What postgres_fdw does not ship runs here, on rows that travel.
my %not_shipped = (
    'without grouping' => 'SELECT asgd_train(x, y ORDER BY id) FROM %s',
    'grouped by another column' => 'SELECT y, casgd_train(x, amount, $$loss=squared scale=none$$ ORDER BY id) '
      . 'FROM %s GROUP BY y ORDER BY y',
    'options that differ from group to group' => 'SELECT part, asgd_train(x, y, v.o ORDER BY id) FROM %s '
      . "JOIN (VALUES (1, 'lambda=0.1'::sparselin_options), (2, 'lambda=0.01')) AS v (p, o) ON part = p "
      . 'GROUP BY part ORDER BY part');
for my $name (sort keys %not_shipped) {
    my $sql = $not_shipped{$name};
    unlike(plan_of(sprintf $sql, 't'), qr/Remote SQL: .*_train/, "$name: not shipped");
    is(answer(sprintf $sql, 't'), answer(sprintf $sql, 'rows'), "$name: the same");
}
unlike(plan_of(grouped('casgd_train(x, y)', 'plain')), qr/Remote SQL: .*_train/, 'not shipped without extensions');
is(answer(grouped('casgd_train(x, y ORDER BY id)', 'plain')), answer(grouped('casgd_train(x, y ORDER BY id)', 'rows')),
    'nor different');

# Prediction: a model that the query knows before it begins travels, one joined to the rows does not.
$node->safe_psql('postgres', 'CREATE TABLE models AS SELECT casgd_train(x, y ORDER BY id) AS m FROM rows');
my $decided = 'SELECT count(*), sum(id) FROM %s WHERE sparselin_decide((SELECT m FROM models), x)';
is( count_in(plan_of(sprintf $decided, 't'), qr/Remote SQL: .* WHERE \(\(?public\.sparselin_decide\(/), 2,
    'predictions in WHERE are made by the remotes');
is(answer(sprintf $decided, 't'), answer(sprintf $decided, 'rows'), 'and are the same');
my $predicted = 'SELECT md5(string_agg(sparselin_predict(m, x)::text, $$ $$ ORDER BY id)) FROM %s, models';
is(answer(sprintf $predicted, 't'), answer(sprintf $predicted, 'rows'), 'predictions of a model that is joined');
is( answer('SELECT md5(string_agg(p, $$ $$ ORDER BY id)) FROM (SELECT id, part, '
          . "(sparselin_predict('$hinge'::sparselin_model, x) - 0.25)::text AS p FROM t) AS s"),
    answer('SELECT md5(string_agg(p, $$ $$ ORDER BY id)) FROM (SELECT id, part, '
          . "(sparselin_predict('$hinge'::sparselin_model, x) - 0.25)::text AS p FROM rows) AS s"),
    'predictions of a model in the query');

# An error on a remote is told as it was there.
$remotes[1]->safe_psql('postgres', "UPDATE rows SET amount = 'NaN' WHERE id = 5");
fails_like($node, grouped("asgd_train(x, amount, 'loss=squared')", 't'), qr/label is NaN.*(?:HINT|CONTEXT)/s,
    'an error on a remote comes here');
is(answer('SELECT count(*) FROM t'), 6000, 'and the session goes on');

done_testing;
