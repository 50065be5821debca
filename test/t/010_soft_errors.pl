# What cannot be read is an error that the caller may keep: pg_input_is_valid() from PostgreSQL 16 on, COPY with
# ON_ERROR ignore from 17 on. Up to 15 it is raised.
use strict;
use warnings;

use SparselinTest;
use Test::More;

my $node = new_node('soft');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

# TYPE => [right, wrong ones], of every way to be wrong.
my $model = '{"learner":"sgd","loss":"hinge","weights":[1]}';
my %input = (
    sparsearray => [ '{1:0.5}/10', 'x', '{1:0.5', '{0:1}', '{1:1,1:2}', '{1:1e99}', '{1:NaN}', '{2:1}/1', '' ],
    sparselin_options => [ 'loss=hinge', 'x', 'los=hinge', 'lambda=-1', 'epochs=1.5', 'center={0:1}', 'loss=' ],
    sparselin_model => [ $model, 'x', '', '{}', '{"learner":"sgd"', '{"learner":"sgd","loss":"hinge","weights":[1e999]}',
        '{"learner":"sgd","loss":"hinge","weights":[1],"resume":"?"}' ]);

for my $type (sort keys %input) {
    my ($right, @wrong) = @{ $input{$type} };
    is($node->safe_psql('postgres', "SELECT '$right'::$type IS NOT NULL"), 't', "$type: reads what is right");
    fails_like($node, "SELECT '$wrong[0]'::$type", qr/ERROR:  /, "$type: raises an error by itself");
    SKIP: {
        skip 'soft errors are of PostgreSQL 16 and later', 3 if $version < 160000;
        my $values = join ', ', map { "('$_')" } @wrong;
        is($node->safe_psql('postgres', "SELECT pg_input_is_valid('$right', '$type')"), 't', "$type: right is valid");
        is($node->safe_psql('postgres', "SELECT string_agg(t, '|') FROM (VALUES $values) AS v (t) "
                  . "WHERE pg_input_is_valid(t, '$type')"), '', "$type: nothing wrong is");
        # The same error as when it is raised: message, hint and SQLSTATE, with nothing left of the one before.
        $node->safe_psql('postgres', <<"SQL");
CREATE OR REPLACE FUNCTION raised(t text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE hint text;
BEGIN
    EXECUTE format('SELECT %L::$type', t);
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws('|', sqlerrm, nullif(hint, ''), sqlstate);
END \$\$
SQL
        is($node->safe_psql('postgres', 'SELECT count(*) FROM (VALUES ' . $values . ') AS v (t), '
                  . "pg_input_error_info(t, '$type') AS e "
                  . "WHERE concat_ws('|', e.message, e.hint, e.sql_error_code) IS DISTINCT FROM raised(t)"),
            '0', "$type: the same error");
    }
}

SKIP: {
    skip 'COPY can ignore errors from PostgreSQL 17 on', 2 if $version < 170000;
    $node->safe_psql('postgres',
        'CREATE TABLE loaded (id int, x sparsearray, o sparselin_options, m sparselin_model)');
    my @lines = ("1\t{1:1}\tloss=hinge\t$model", "2\t{1:1\tloss=hinge\t$model", "3\t{1:1}\tlos=hinge\t$model",
        "4\t{1:1}\tloss=hinge\t{}", "5\t{2:1}\tepochs=2\t$model");
    my $file = $node->basedir . '/lines';
    open my $out, '>', $file or die;
    print $out "$_\n" for @lines;
    close $out;
    my ($status, undef, $err) =
      $node->psql('postgres', "COPY loaded FROM '$file' (ON_ERROR ignore)", on_error_stop => 1);
    is($status, 0, "COPY ignores what cannot be read: $err");
    is($node->safe_psql('postgres', 'SELECT id, x FROM loaded ORDER BY id'), "1|{1:1}\n5|{2:1}", 'and takes the rest');
}

# Memory of what failed is given back: a long run of wrong input stays small.
SKIP: {
    skip 'soft errors are of PostgreSQL 16 and later', 1 if $version < 160000;
    is($node->safe_psql('postgres', "SELECT count(*) FROM generate_series(1, 100000) AS i "
              . "WHERE pg_input_is_valid('{1:' || i || ',2', 'sparsearray')"), '0', 'a hundred thousand times');
}

done_testing();
