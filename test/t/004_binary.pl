# Values that leave the database and come back: COPY BINARY, dump and restore. Whatever is cut off or damaged on the
# way is refused, and the server lives.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('binary', 'log_statement = none');
my $dir = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE arrays (id int, v sparsearray);
INSERT INTO arrays VALUES
    (1, '{}'), (2, '{}/7'), (3, '{1:0.5,7:-2e-38}'), (4, '{2147483647:3e38}/2147483647'), (5, NULL);
INSERT INTO arrays
SELECT 6, sparsearray(array_agg(i * 7::bigint), array_agg(1 / i::float8)) FROM generate_series(1, 50000) AS i;
CREATE TABLE options (id int, v sparselin_options);
INSERT INTO options VALUES
    (1, ''), (2, 'loss=hinge epochs=25'), (3, 'lambda=0.30000000000000004 center={1:0.1,3:-2}/4'), (4, NULL);
INSERT INTO options SELECT 5, sparselin_options(center => v) FROM arrays WHERE id = 6;
INSERT INTO options SELECT 6, sparselin_options(classes => ARRAY['a b', '', '"', E'\\', E'\t\n', ',{}', 'NULL']);
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 5, 10 + i % 3]::bigint[], ARRAY[0.1, i]) AS x, i % 3 = 0 AS y
FROM generate_series(1, 50) AS i;
CREATE TABLE models (id int, v sparselin_model);
INSERT INTO models SELECT 1, casgd_train(x, y) FROM rows
UNION ALL SELECT 2, asgd_train(x, id, 'loss=squared resumable=false') FROM rows
UNION ALL SELECT 3, sgd_train(x, y, 'epochs=1 sampling=sequential lambda=0.1') FROM rows
UNION ALL SELECT 4, casgd_train(v, id = 3) FROM arrays WHERE id IN (3, 6) UNION ALL SELECT 5, NULL
UNION ALL SELECT 6, '{"learner": "asgd", "loss": "hinge", "weights": {"3": 0.1}}'
UNION ALL SELECT 7, onepass_train(x, y) FROM rows
UNION ALL SELECT 8, onepass_train(x, id, 'loss=absolute epochs=3 average_start=20 scale=std') FROM rows
UNION ALL SELECT 9, truncated_train(x, y, 'eta0=0.01 method=round threshold=0.01 clip_max=3') FROM rows
UNION ALL SELECT 10, elasticnet_train(x, y, 'eta0=0.01 method=fobos l1=0.1 class_weight=balanced') FROM rows
UNION ALL SELECT 11, sparselin_train(x, (ARRAY['a b', '', '"', E'\\', E'\t\n', ',{}', 'NULL', 'null', ' ', 'a'])[1 + id % 10]) FROM rows
UNION ALL SELECT 12, asgd_train(x, CASE WHEN y THEN 'spam' ELSE 'ham' END) FROM rows
UNION ALL SELECT 13, sgd_train(x, (ARRAY['a', 'b', 'c'])[1 + id % 3], 'loss=multinomial resumable=false') FROM rows
UNION ALL SELECT 14, onepass_train(x, (ARRAY['a', 'b', 'c'])[1 + id % 3], 'classes={c,b,a,d}') FROM rows;
SQL
my @tables = qw(arrays options models);
my %send = (arrays => 'sparsearray_send', options => 'sparselin_options_send', models => 'sparselin_model_send');

# All values as bytes.
sub content {
    my ($db, $table) = @_;
    return $node->safe_psql($db, "SELECT id, md5($send{$table}(v)) FROM $table ORDER BY id");
}

subtest 'round trips' => sub {
    for my $table (@tables) {
        $node->safe_psql('postgres', <<"SQL");
CREATE TABLE copied (LIKE $table);
COPY $table TO '$dir/$table' (FORMAT binary);
COPY copied FROM '$dir/$table' (FORMAT binary);
CREATE TABLE read (LIKE $table);
COPY $table TO '$dir/$table.text';
COPY read FROM '$dir/$table.text';
SQL
        my $compare = "SELECT count(*), bool_and($send{$table}(c.v) IS NOT DISTINCT FROM $send{$table}(t.v)) "
          . "FROM $table t JOIN %s c USING (id)";
        my $rows = $node->safe_psql('postgres', "SELECT count(*) FROM $table");
        is($node->safe_psql('postgres', sprintf $compare, 'copied'), "$rows|t", "$table through COPY BINARY");
        is($node->safe_psql('postgres', sprintf $compare, 'read'), "$rows|t", "$table through COPY");
        $node->safe_psql('postgres', 'DROP TABLE copied, read');
    }
    $node->safe_psql('postgres', 'CREATE DATABASE restored');
    $node->command_ok([ 'pg_dump', '-f', "$dir/dump.sql", $node->connstr('postgres') ], 'dumped');
    my @restore = ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', $node->connstr('restored'), '-f');
    $node->command_ok([ @restore, "$dir/dump.sql" ], 'restored');
    is(content('restored', $_), content('postgres', $_), "$_ through pg_dump") for @tables;
    $node->command_ok([ 'pg_dump', '--inserts', '-t', 'models', '-f', "$dir/inserts.sql", $node->connstr('postgres') ],
        'dumped as INSERTs');
    $node->safe_psql('restored', 'DROP TABLE models');
    $node->command_ok([ @restore, "$dir/inserts.sql" ], 'restored');
    is(content('restored', 'models'), content('postgres', 'models'), 'models through INSERTs');
};

# A COPY BINARY file of one row with one column of these bytes.
sub write_binary {
    my ($name, $bytes) = @_;
    open my $file, '>:raw', "$dir/$name" or die "$dir/$name: $!";
    print $file "PGCOPY\n\377\r\n\0", pack('NN n N', 0, 0, 1, length $bytes), $bytes, pack('n', 0xffff);
    close $file or die;
}

# Reads files $name.0 up to $name.$last in one session; what came of them: "error code or ok|how many" lines. A value
# that was taken has to be whole: it is the same again after text and after binary.
sub read_all {
    my ($type, $table, $name, $last) = @_;
    return $node->safe_psql('postgres', <<"SQL");
CREATE TEMP TABLE outcome (what text);
CREATE TEMP TABLE taken (v $type);
DO \$\$
BEGIN
    FOR i IN 0..$last LOOP
        BEGIN
            EXECUTE format('COPY taken FROM %L (FORMAT binary)', '$dir/$name.' || i);
            INSERT INTO outcome VALUES ('ok');
        EXCEPTION WHEN OTHERS THEN INSERT INTO outcome VALUES (SQLSTATE);
        END;
    END LOOP;
END \$\$;
SELECT what, count(*) FROM outcome GROUP BY 1 ORDER BY 1;
COPY taken TO '$dir/taken' (FORMAT binary);
CREATE TEMP TABLE again (v $type);
COPY again FROM '$dir/taken' (FORMAT binary);
SELECT 'not whole', count(*) FROM taken WHERE $send{$table}(v::text::$type) <> $send{$table}(v) HAVING count(*) > 0;
SQL
}

sub value_bytes {
    my ($table, $id) = @_;
    return pack 'H*', $node->safe_psql('postgres', "SELECT encode($send{$table}(v), 'hex') FROM $table WHERE id = $id");
}

my %type = (arrays => 'sparsearray', options => 'sparselin_options', models => 'sparselin_model');

subtest 'cut off' => sub {
    for my $case ([ 'arrays', 3 ], map { [ 'models', $_ ] } 1, 2, 6, 8, 9, 10) {
        my ($table, $id) = @$case;
        my $bytes = value_bytes($table, $id);
        my $size = length $bytes;
        write_binary("cut.$_", substr $bytes, 0, $_) for 0 .. $size - 1;
        my %outcome = map { split /\|/ } split /\n/, read_all($type{$table}, $table, 'cut', $size - 1);
        is(($outcome{'22P03'} // 0) + ($outcome{'08P01'} // 0), $size, "$table $id: each of $size lengths is refused")
          or diag(explain(\%outcome));
    }
    # Text may be cut off to something that is right.
    my $bytes = value_bytes('options', 3);
    write_binary("cut.$_", substr $bytes, 0, $_) for 0 .. length($bytes) - 1;
    my %outcome = map { split /\|/ } split /\n/, read_all($type{options}, 'options', 'cut', length($bytes) - 1);
    is($outcome{'not whole'}, undef, 'options: whole or refused');
    cmp_ok($outcome{ok}, '<', 30, "options: $outcome{ok} are whole");
    # More than belongs to the value.
    for my $table (qw(arrays models)) {
        write_binary("longer.$_", value_bytes($table, 3) . "\0" x (1 + $_)) for 0 .. 9;
        my %longer = map { split /\|/ } split /\n/, read_all($type{$table}, $table, 'longer', 9);
        is(($longer{'22P03'} // 0) + ($longer{'08P01'} // 0), 10, "$table: nothing may follow")
          or diag(explain(\%longer));
    }
};

subtest 'damaged' => sub {
    srand 7;
    for my $case ([ 'arrays', 3 ], [ 'options', 3 ], map { [ 'models', $_ ] } 1, 2, 3, 8, 9, 10) {
        my ($table, $id) = @$case;
        my $bytes = value_bytes($table, $id);
        my $number = 0;
        for my $at (0 .. length($bytes) - 1) {
            for my $flip ($table eq 'models' ? 1 + int rand 255 : (1, 0x7f, 0x80, 0xff)) {
                my $damaged = $bytes;
                substr($damaged, $at, 1) = chr(ord(substr $bytes, $at, 1) ^ $flip);
                write_binary('damaged.' . $number++, $damaged);
            }
        }
        my %outcome = map { split /\|/ } split /\n/, read_all($type{$table}, $table, 'damaged', $number - 1);
        is($outcome{'not whole'}, undef, "$table $id: whole or refused");
        my %expected = map { $_ => 1 } qw(ok 22P03 08P01 22P02 22023 22003 22021 22000 0A000);
        is(join(' ', grep { !$expected{$_} } sort keys %outcome), '', "$table $id: clean errors: @{[%outcome]}");
        next if $table ne 'models';
        # One of them has become a format version that is not known.
        is(join(' ', map { $outcome{$_} // 0 } qw(22P03 0A000)),
            $number - 1 . ' 1', "$table $id: each of $number is refused");
    }
};

is($node->safe_psql('postgres', 'SELECT (sparselin_info(v)).rows FROM models WHERE id = 1'), 50, 'the server lives');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal/, 'and has lived all the time');

done_testing;
