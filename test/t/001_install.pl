# The extension as its users meet it: created by the owner of a database, dropped, dumped and restored.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('install');
my $extension_objects = <<'SQL';
SELECT count(*) FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass
WHERE e.extname = 'sparselin' AND d.deptype = 'e'
SQL
my $catalog = join ' UNION ALL ', map { "SELECT '$_', count(*) FROM $_" }
  qw(pg_aggregate pg_amop pg_amproc pg_cast pg_class pg_depend pg_description pg_extension pg_opclass pg_operator
  pg_opfamily pg_proc pg_type);

$node->safe_psql('postgres', 'CREATE ROLE ann LOGIN; CREATE ROLE bob LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER ann") for qw(hers restored);
my @as_ann = (extra_params => [ '-U', 'ann' ], on_error_die => 1);

$node->psql('hers', 'CREATE SCHEMA learning', @as_ann);
my $before = $node->safe_psql('hers', $catalog);
$node->psql('hers', 'CREATE EXTENSION sparselin', @as_ann);
cmp_ok($node->safe_psql('hers', $extension_objects), '>', 0, 'a database owner who is no superuser can create it');
fails_like($node, 'DROP EXTENSION sparselin', qr/must be owner of extension/, 'nobody else can drop it',
    dbname => 'hers', user => 'bob');
fails_like($node, 'ALTER EXTENSION sparselin SET SCHEMA learning', qr/does not support SET SCHEMA/,
    'it stays in its schema', dbname => 'hers', user => 'ann');

$node->psql('hers', 'DROP EXTENSION sparselin', @as_ann);
is($node->safe_psql('hers', $catalog), $before, 'dropped, it leaves the catalogs as they were');

$node->psql('hers', 'CREATE EXTENSION sparselin SCHEMA learning', @as_ann);
is( $node->safe_psql('hers', <<'SQL'), 'learning', 'created in another schema, all its functions are there');
SELECT string_agg(DISTINCT pronamespace::regnamespace::text, ' ')
FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass
JOIN pg_proc p ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
WHERE e.extname = 'sparselin' AND d.deptype = 'e'
SQL

$node->psql('hers', <<'SQL', @as_ann);
DROP EXTENSION sparselin;
CREATE EXTENSION sparselin SCHEMA public;
CREATE TABLE rows (id int PRIMARY KEY, features sparsearray, label boolean);
INSERT INTO rows
  SELECT i, sparsearray(ARRAY[1 + i % 7, 10 + i % 13, 2147483647]::bigint[], ARRAY[i / 7.0, 1e-30, -3e30]), i % 3 = 0
  FROM generate_series(1, 500) i;
INSERT INTO rows VALUES (0, '{}/5', NULL), (-1, NULL, true);
CREATE INDEX ON rows (features);
SQL
my $content = 'SELECT count(*), md5(string_agg(r::text, $$ $$ ORDER BY id)) FROM rows r';
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$node->command_ok([ 'pg_dump', '-U', 'ann', '-f', $dump, $node->connstr('hers') ], 'she can dump it');
my @restore = ('psql', '-Xq', '-U', 'ann', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored'));
$node->command_ok(\@restore, 'she can restore it');
is($node->safe_psql('restored', $content), $node->safe_psql('hers', $content), 'the rows are the same');

done_testing;
