# Who owns the tables of models can put code on them, and into their place. No superuser is made to run it.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('owner');
$node->init(extra => [ '--no-locale', '-E', 'UTF8' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;

sub as {
    my ($user, $database, $sql) = @_;
    my ($status, $out, $err) = $node->psql($database, $sql, on_error_stop => 1, extra_params => [ '-U', $user ]);
    die "as $user: $sql\n$err" if $status;
    return $out;
}

# A database of ann's, one of a superuser's whose public schema is ann's, and what tells whether a superuser ran harm():
# a sequence, which no rollback brings back.
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") for qw(ann bob);
my $common = <<'SQL';
CREATE TABLE rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i], ARRAY[1, 1, 1]) AS features, i % 20 < 6 AS label
FROM generate_series(1, 300) AS i;
GRANT SELECT ON rows TO public;
SELECT sparselin_fit('m', 'SELECT features, label FROM rows'), sparselin_fit('m', 'SELECT features, label FROM rows', replace => true);
CREATE SEQUENCE harmed MINVALUE 0;
GRANT USAGE ON SEQUENCE harmed TO public;
CREATE FUNCTION harm() RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        PERFORM pg_catalog.nextval('public.harmed');
    END IF;
    RETURN 1;
END $$;
CREATE FUNCTION harm_by_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RESET ROLE;
    RESET SESSION AUTHORIZATION;
    PERFORM public.harm();
    RETURN coalesce(NEW, OLD);
END $$;
SQL
$node->safe_psql('postgres', 'CREATE DATABASE hers OWNER ann; CREATE DATABASE his');
as('ann', 'hers', "CREATE EXTENSION sparselin; $common");
as('postgres', 'his', "CREATE EXTENSION sparselin; $common ALTER SCHEMA public OWNER TO ann; "
      . 'GRANT ALL ON sparselin_registry, sparselin_models, sparselin_model_values TO bob; GRANT CREATE ON DATABASE his TO ann;');

my $fit = q(sparselin_fit('n', 'SELECT features, label FROM rows'));
my $refit = q(sparselin_fit('m', 'SELECT features, label FROM rows', replace => true));
my $drift = q(sparselin_drift('m', 'SELECT features, label FROM rows'));
my $predict = q(sparselin_predict('m', '{1:1}'));
my @calls = ($fit, $refit, q(sparselin_retrain('m')), q(sparselin_activate('m', 1)), q(sparselin_drop('m')), q(sparselin_drop('m', 1)),
    q(sparselin_grant('m', 'public')), q(sparselin_revoke('m', 'public')), $drift, q(sparselin_drift('m')), $predict, q(sparselin_missing_model('m')));
my $refused = qr/a superuser does not use models in tables of ann/;
my $renamed = qr/the schema of sparselin was renamed from public to moved/;

# what it is, database, what is done to it and by whom, what the superuser calls, what the answer is
my @attacks = (
    [ 'a function of a trigger is another one', 'hers', 'ann', <<'SQL', [q(sparselin_drop('m'))], $refused ],
CREATE OR REPLACE FUNCTION sparselin_follow_name() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER AS
$$ BEGIN PERFORM public.harm(); RETURN NULL; END $$
SQL
    [ 'triggers of the owner\'s', 'hers', 'ann', <<'SQL', [@calls[0 .. 7]], $refused ],
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_registry FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_models FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
SQL
    [ 'triggers that leave the role', 'hers', 'ann', <<'SQL', [ map { "(SELECT $_)" } @calls[0 .. 7] ], $refused, 'SET ROLE ann; ' ],
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_registry FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_models FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
SQL
    [ 'triggers that leave the session\'s user', 'hers', 'ann', <<'SQL', [$refit], $refused, 'SET SESSION AUTHORIZATION ann; ' ],
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_models FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
SQL
    [ 'a default', 'hers', 'ann', 'ALTER TABLE sparselin_registry ALTER last_version SET DEFAULT harm()', [$fit], $refused ],
    [ 'a constraint', 'hers', 'ann', 'ALTER TABLE sparselin_registry ADD CHECK (harm() = 1)', [$fit], $refused ],
    [ 'an index', 'hers', 'ann', 'CREATE INDEX ON sparselin_registry ((harm() + last_version))', [ $fit, $refit ], $refused ],
    [ 'an index that has the planner run it', 'hers', 'ann', 'CREATE INDEX ON sparselin_models ((harm()))', [ $drift, $predict ], $refused ],
    [ 'a rule', 'hers', 'ann', 'CREATE RULE harm AS ON DELETE TO sparselin_registry DO ALSO SELECT harm()', [q(sparselin_drop('m'))], $refused ],
    [ 'views in place of tables', 'hers', 'ann', <<'SQL', \@calls, $refused ],
ALTER TABLE sparselin_registry RENAME TO r;
ALTER TABLE sparselin_models RENAME TO m;
CREATE VIEW sparselin_registry AS SELECT name, owner, readers, last_version * harm() AS last_version FROM r WHERE harm() = 1;
CREATE VIEW sparselin_models AS SELECT * FROM m WHERE harm() * version > 0;
SQL
    [ 'a type in place of that of a table', 'hers', 'ann', <<'SQL', [q(sparselin_retrain('m'))], $refused ],
ALTER TABLE sparselin_models RENAME TO m;
CREATE DOMAIN sparselin_models AS text CHECK (harm() = 1 AND VALUE IS NULL);
SQL
    [ 'no tables at all', 'his', 'postgres', 'ALTER TABLE sparselin_models RENAME TO m', [$predict], qr/there is no table public\.sparselin_models/ ],
    [ 'triggers of who may have some', 'his', 'bob', <<'SQL', \@calls, qr/a superuser does not use models in a table with a trigger of bob/ ],
CREATE SCHEMA bobs;
CREATE FUNCTION bobs.harm() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_registry FOR EACH STATEMENT EXECUTE FUNCTION bobs.harm();
SQL
    [ 'other functions where the schema was', 'his', 'ann', <<'SQL', [ map { s/\bsparselin/moved.sparselin/r } @calls[0 .. 9] ], $renamed ],
ALTER SCHEMA public RENAME TO moved;
CREATE SCHEMA public;
CREATE TABLE public.rows AS SELECT * FROM moved.rows;
CREATE FUNCTION public.harm() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM moved.harm_here(); END $$;
CREATE FUNCTION moved.harm_here() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_catalog.nextval('moved.harmed'); END $$;
CREATE TABLE public.sparselin_registry AS SELECT * FROM moved.sparselin_registry;
CREATE TABLE public.sparselin_models AS SELECT * FROM moved.sparselin_models;
CREATE TABLE public.sparselin_model_values AS SELECT * FROM moved.sparselin_model_values;
CREATE FUNCTION public.sparselin_lock_model(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); END $$;
CREATE FUNCTION public.sparselin_check_tolerance(float8) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); END $$;
CREATE FUNCTION public.sparselin_option_table(OUT learners text[]) RETURNS SETOF text[] LANGUAGE plpgsql AS
$$ BEGIN PERFORM public.harm(); RETURN; END $$;
SQL
);
$node->safe_psql('his', 'GRANT CREATE ON DATABASE his TO bob; GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO ann');

my $number = 0;
for my $attack (@attacks) {
    my ($name, $template, $attacker, $preparation, $calls, $answer, $before) = @$attack;
    my $database = 'attack_' . ++$number;
    my $owner = $template eq 'hers' ? 'ann' : 'postgres';
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE $template OWNER $owner");
    $node->safe_psql('postgres', "GRANT CREATE ON DATABASE $database TO ann, bob");
    as($attacker, $database, $preparation);
    my $harmed = ($answer eq $renamed ? 'moved' : 'public') . '.harmed';
    for my $call (@$calls) {
        $node->safe_psql($database, "SELECT setval('$harmed', 0, false)");
        my ($status, $out, $err) = $node->psql($database, ($before // '') . "SELECT $call");
        like($err, $answer, "$name: $call is refused");
        is($node->safe_psql($database, "SELECT is_called FROM $harmed"), 'f', "$name: no harm done");
    }
}

# Others go on as before, and so do superusers where the tables are theirs.
is(as('ann', 'hers', "SELECT version FROM $refit"), '3', 'ann fits');
is(as('ann', 'hers', q(SELECT active FROM sparselin_retrain('m'))), 't', 'and retrains');
is(as('postgres', 'his', "SELECT version FROM $refit"), '3', 'a superuser fits');
is(as('postgres', 'his', "SELECT $predict IS NOT NULL"), 't', 'and predicts');
is(as('postgres', 'his', "SET ROLE bob; SELECT version FROM $fit"), '1', 'and does both for others');

# The schema has to keep its name; once it has it back, all is well.
as('ann', 'his', 'ALTER SCHEMA public RENAME TO moved');
my ($status, $out, $err) = $node->psql('his', 'SET search_path = moved; SELECT ' . q(sparselin_retrain('m')));
like($err, $renamed, 'a schema that was renamed is told of');
like($err, qr/HINT:.*ALTER SCHEMA moved RENAME TO public/, 'with what to do');
is($node->safe_psql('his', "SET search_path = moved; SELECT $predict IS NOT NULL"), 't', 'models go on to be used by name');
as('ann', 'his', 'ALTER SCHEMA moved RENAME TO public');
is(as('postgres', 'his', q(SELECT active FROM sparselin_retrain('m'))), 't', 'with its old name it works again');

done_testing;
