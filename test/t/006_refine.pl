# A model of parts that lie on two servers, taken to the minimum of all rows: each scan is added up where the rows are.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my @remotes = map { new_node("refine_remote_$_") } 1, 2;
my $node = new_node('refine_coordinator', 'enable_partitionwise_aggregate = on');
plan skip_all => 'postgres_fdw is not installed'
  if !$node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});

# Eight parts, four to a server; labels of each kind, weights.
my $make_rows = <<'SQL';
CREATE TABLE rows AS
SELECT id, 1 + id % 8 AS part, id % 20 < 6 OR (id % 20 < 12 AND id % 7 = 3) OR id % 101 = 0 AS y,
       (id % 20) / 4.0::float8 AS amount, (0.5 + id % 3)::float8 AS w, (ARRAY['b', 'a', 'c'])[1 + id % 20 / 7] AS class,
       sparsearray(ARRAY[1 + id % 20, 21 + id % 7, 40 + id * 31 % 300]::bigint[], ARRAY[1, 1 + id % 3, 1 + id * 7919 % 1000 / 100.0]) AS x
FROM generate_series(1, 6000) AS id
WHERE 1 + id % 8 IN (%s);
ANALYZE rows;
SQL
$node->safe_psql('postgres', sprintf $make_rows, '1, 2, 3, 4, 5, 6, 7, 8');
my @parts = ('1, 2, 3, 4', '5, 6, 7, 8');
my $foreign = 'CREATE EXTENSION postgres_fdw; CREATE TABLE t (id int, part int, y boolean, amount float8, w float8, '
  . 'class text, x sparsearray) PARTITION BY LIST (part);';
my $async = server_version($node) >= 14 ? ", async_capable 'true'" : '';
for my $i (0, 1) {
    $remotes[$i]->safe_psql('postgres', sprintf $make_rows, $parts[$i]);
    $foreign .= sprintf "CREATE SERVER s_$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', "
      . "dbname 'postgres', extensions 'sparselin'$async); CREATE USER MAPPING FOR CURRENT_USER SERVER s_$i; "
      . "CREATE FOREIGN TABLE t_$i PARTITION OF t FOR VALUES IN ($parts[$i]) SERVER s_$i OPTIONS (table_name 'rows');",
      $remotes[$i]->host, $remotes[$i]->port;
}
$node->safe_psql('postgres', "$foreign ANALYZE t_0, t_1");

sub answer {
    my $answer = $node->safe_psql('postgres', join '; ', @_);
    die "no answer to @_" if $answer eq '';
    return $answer;
}

# The statement that refining runs is shipped whole, with the model in it once for each server.
my $model = answer('SELECT casgd_train(x, y) FROM rows');
my $plan = answer(
    'EXPLAIN (VERBOSE, COSTS OFF) SELECT sparselin_gradient_total(sums) FROM (SELECT part, '
      . "sparselin_gradient_sums('$model'::sparselin_model, x, y, 1, false) AS sums FROM t GROUP BY part) AS p");
is(scalar(() = $plan =~ /Remote SQL: SELECT .*sparselin_gradient_sums\(.* GROUP BY/g), 2, 'both servers add up');
is(scalar(() = $plan =~ /Async Foreign Scan/g), $async ? 2 : 0, 'at the same time');
my @models = map { scalar(() = /"learner"/g) } $plan =~ /Remote SQL: ([^\n]*)/g;
is("@models", '1 1', 'and the model is in the query of each once');

sub merged { return "SELECT sparselin_merge(m) AS m FROM (SELECT $_[0] AS m FROM $_[1] GROUP BY part) AS s" }

my %kinds = (
    'two classes' => [ "casgd_train(x, y, 'settle=false')", 'y AS label' ],
    'weights' => [ "asgd_train(x, y, 'settle=false', w)", 'y AS label, w AS weight' ],
    'a number on a scale' => [ "casgd_train(x, amount, 'loss=squared scale=std settle=false')", 'amount AS label' ],
    'names' => [ 'casgd_train(x, class)', 'class AS label' ],
    'multinomial' => [ "casgd_train(x, class, 'loss=multinomial')", 'class AS label' ]);

# Statements that the remotes have run, as they log them.
sub scans_logged {
    my ($remote) = @_;
    open my $log, '<', $remote->logfile or die $!;
    return scalar grep { /gradient_sums/ } <$log>;
}
$_->safe_psql('postgres', "ALTER SYSTEM SET log_statement = 'all'; SELECT pg_reload_conf()") for @remotes;

for my $name (sort keys %kinds) {
    my ($train, $columns) = @{ $kinds{$name} };
    my $refine = sub {
        my ($table, $part) = @_;
        return "CREATE TABLE refined AS SELECT r.* FROM (" . merged($train, 'rows') . ') AS merged, '
          . "sparselin_refine(m, 'SELECT x AS features, $columns$part FROM $table', 60, 1e-4) AS r";
    };
    my $same = 'SELECT abs(a.objective / b.objective - 1) < 1e-6 AND a.scans = b.scans '
      . 'AND (SELECT max(abs(v.weight - w.weight)) / max(abs(v.weight)) < 1e-6 FROM sparselin_weights(a.refined) AS v '
      . 'JOIN sparselin_weights(b.refined) AS w ON v.feature = w.feature AND v.class IS NOT DISTINCT FROM w.class), '
      . 'a.gap <= 1e-4 * a.objective, a.objective < a.objective_before, a.scans FROM refined AS a, refined_here AS b';
    my @before = map { scans_logged($_) } @remotes;
    $node->safe_psql('postgres', $refine->('t', ', part'));
    my @after = map { scans_logged($_) } @remotes;
    $node->safe_psql('postgres', ($refine->('rows', '') =~ s/TABLE refined/TABLE refined_here/r));
    my ($equal, $near, $lower, $scans) = split /\|/, answer($same);
    is($equal, 't', "$name: what the rows give in one place");
    is($near, 't', "$name: near the minimum");
    is($lower, 't', "$name: lower than the mean of the models of parts");
    cmp_ok($after[0] - $before[0], '>=', $scans, "$name: one server has added up each time");
    cmp_ok($after[1] - $before[1], '>=', $scans, "$name: and the other");
    $node->safe_psql('postgres', 'DROP TABLE refined, refined_here');
}

# The measured case: as good as one model of all rows.
is( answer('SELECT r.objective < 1.01 * (one.g).objective AND r.scans <= 40 FROM (' . merged('asgd_train(x, y)', 't') . ') AS merged, '
      . q{sparselin_refine(m, 'SELECT x AS features, y AS label, part FROM t') AS r, }
      . '(SELECT sparselin_gradient((SELECT asgd_train(x, y) FROM rows), x, y) AS g FROM rows) AS one'),
    't', 'F is within a hundredth of that of one model of all rows');

# Without parts rows travel, and the result is the same.
is( answer("SELECT abs(a.objective / b.objective - 1) < 1e-6 FROM sparselin_refine('$model', 'SELECT x AS features, y AS label, part FROM t') AS a, "
      . "sparselin_refine('$model', 'SELECT x AS features, y AS label FROM t') AS b"),
    't', 'without parts');

# Looking at a model where the rows are, which it goes to once.
$node->safe_psql('postgres', "CREATE TABLE models AS SELECT '$model'::sparselin_model AS m");
for my $call ('sparselin_evaluate', 'sparselin_gradient') {
    my $grouped = "SELECT part, $call((SELECT m FROM models), x, y) AS c FROM %s GROUP BY part";
    my $shipped = answer('EXPLAIN (VERBOSE, COSTS OFF) ' . sprintf $grouped, 't');
    is(scalar(() = $shipped =~ /Remote SQL: SELECT .*$call\(.* GROUP BY/g), 2, "$call: both servers look");
    is( answer('SELECT count(*), bool_and(abs((a.c).objective / (b.c).objective - 1) < 1e-13) FROM (' . sprintf($grouped, 't')
              . ') AS a JOIN (' . sprintf($grouped, 'rows') . ') AS b USING (part)'),
        '8|t', "$call: and see the same");
}

# Cancelled while a remote adds up.
$remotes[0]->safe_psql('postgres', 'ALTER TABLE rows RENAME TO these_rows; CREATE VIEW rows AS SELECT * FROM these_rows WHERE pg_sleep(0.001) IS NOT NULL');
fails_like($node, "SET statement_timeout = '300ms'; SELECT sparselin_refine('$model', 'SELECT x AS features, y AS label, part FROM t', 100000, 0)",
    qr/canceling statement/, 'refining can be cancelled');
is(answer('SELECT 1'), 1, 'and the session goes on');

done_testing;
