# The extension's script runs as a superuser, in a schema where others may have put functions and operators before. It calls
# none of them.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('planted');
$node->init(extra => [ '--no-locale', '-E', 'UTF8' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE ann LOGIN');

sub as_ann {
    my ($database, $sql) = @_;
    my ($status, $out, $err) = $node->psql($database, $sql, on_error_stop => 1, extra_params => [ '-U', 'ann' ]);
    die "as ann: $sql\n$err" if $status;
    return $out;
}

# A name that format() and whoever forgets its quotes would stumble over.
my $schema = '"odd 100% Schema"';
my $path = "SET search_path = $schema, public";

# Each calls harm(), which a sequence remembers: no rollback brings that back. What is planted are functions and operators on
# exactly the types that variables and literals have, where pg_catalog has VARIADIC "any", polymorphic arguments or other
# types; and some that are the same as in pg_catalog.
my $plant = <<'SQL';
SET search_path = pg_catalog;
CREATE SEQUENCE public.harmed MINVALUE 0;
CREATE FUNCTION public.harm() RETURNS void LANGUAGE sql AS $$ SELECT nextval('public.harmed') $$;
DO $plant$
DECLARE
    types text[] := '{text,name,integer,boolean,oid,name[],text[]}';
    head text := 'CREATE FUNCTION "odd 100%% Schema".';
    body text := ' LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); RETURN %L; END $$';
    name text;
    type text;
    other text;
BEGIN
    FOREACH name IN ARRAY '{format,concat,concat_ws,quote_ident,quote_literal,quote_nullable,replace,current_setting,set_config,
                            char_length,now,pg_has_role,pg_extension_config_dump,array_to_string}'::text[] LOOP
        FOR count IN 0..16 LOOP
            EXECUTE format(head || '%I(%s) RETURNS text' || body, name,
                           array_to_string(array_fill('text'::text, ARRAY[count]), ', '), 'planted');
        END LOOP;
    END LOOP;
    EXECUTE format(head || 'set_config(text, text, boolean) RETURNS text' || body, 'planted');
    EXECUTE format(head || 'char_length(name) RETURNS integer' || body, 1);
    EXECUTE format(head || 'pg_has_role(oid, name) RETURNS boolean' || body, true);
    FOREACH type IN ARRAY types LOOP
        FOREACH other IN ARRAY types LOOP
            EXECUTE format(head || 'appended(%s, %s) RETURNS text' || body, type, other, 'planted');
            EXECUTE format(head || 'compared(%s, %s) RETURNS boolean' || body, type, other, true);
            EXECUTE format('CREATE OPERATOR "odd 100%% Schema".|| (LEFTARG = %s, RIGHTARG = %s,
                                FUNCTION = "odd 100%% Schema".appended)', type, other);
            FOREACH name IN ARRAY '{=,<>,<,<=,>,>=,~,~~}'::text[] LOOP
                EXECUTE format('CREATE OPERATOR "odd 100%% Schema".%s (LEFTARG = %s, RIGHTARG = %s,
                                    FUNCTION = "odd 100%% Schema".compared)', name, type, other);
            END LOOP;
        END LOOP;
    END LOOP;
END $plant$;
SQL
# All of it away again.
my $uproot = <<'SQL';
SET search_path = pg_catalog;
DO $$
DECLARE
    planted text;
BEGIN
    FOR planted IN
        SELECT pg_describe_object(d.classid, d.objid, 0)
        FROM pg_depend AS d
        WHERE refclassid = 'pg_namespace'::regclass AND refobjid = '"odd 100% Schema"'::regnamespace
              AND classid = ANY ('{pg_proc,pg_operator}'::regclass[])
              AND NOT EXISTS (SELECT FROM pg_depend AS e WHERE (e.classid, e.objid, e.deptype) = (d.classid, d.objid, 'e'))
        ORDER BY classid = 'pg_proc'::regclass
    LOOP
        EXECUTE 'DROP ' || planted;
    END LOOP;
END $$
SQL
my $harmed = 'SELECT is_called FROM public.harmed';

my %catalog;
for my $database (qw(planted clean)) {
    $node->safe_psql('postgres', "CREATE DATABASE $database OWNER ann");
    as_ann($database, "CREATE SCHEMA $schema");
    as_ann($database, $plant) if $database eq 'planted';
    # What runs may also make it fail.
    my ($status) = $node->psql($database, "CREATE EXTENSION sparselin SCHEMA $schema", extra_params => [ '-U', 'ann' ]);
    is($status, 0, "$database: she can create the extension");
    if ($database eq 'planted') {
        is($node->safe_psql($database, $harmed), 'f', 'nothing that was planted ran');
        as_ann($database, $uproot);
        pass('nothing of the extension stands on it');
    }
    $catalog{$database} = $node->safe_psql($database, do { local (@ARGV, $/) = 'test/catalog.sql'; <> });
}
is($catalog{planted}, $catalog{clean}, 'the extension is the same');
like($catalog{planted}, qr/^function \Q$schema\E\.casgd_train\(/m, 'in a schema with an odd name');

# What was planted would have been met, or this would tell nothing.
as_ann('clean', $plant);
for my $call (q(format('%s %s', 'a'::text, 'b'::text)), q(concat('a'::text, 'b'::text)), q('a'::text || 1), q('1'::text = 1)) {
    as_ann('clean', "ALTER SEQUENCE public.harmed RESTART; SET search_path = $schema; SELECT $call");
    is($node->safe_psql('clean', $harmed), 't', "who looks it up in the schema meets it: $call");
}

done_testing;
