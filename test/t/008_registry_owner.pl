# Who owns the tables of models can put code on them, and into their place. No superuser is made to run it.
use strict;
use warnings;

use SparselinTest;
use IPC::Run;
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

# A database of ann's, one of a superuser's, one of a superuser's whose public schema is ann's, and what tells whether a
# superuser ran harm(): a sequence, which no rollback brings back. dba and idle are no superusers, but can become one.
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") for qw(ann bob);
$node->safe_psql('postgres', 'CREATE ROLE admins IN ROLE postgres; CREATE ROLE dba LOGIN IN ROLE admins, ann; '
      . 'CREATE ROLE idle LOGIN NOINHERIT IN ROLE postgres, ann');
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
    BEGIN
        SET ROLE postgres;
    EXCEPTION WHEN insufficient_privilege THEN
    END;
    PERFORM public.harm();
    RETURN coalesce(NEW, OLD);
END $$;
SQL
$node->safe_psql('postgres', 'CREATE DATABASE hers OWNER ann');
as('ann', 'hers', "CREATE EXTENSION sparselin; $common");
for my $database (qw(his lent)) {
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    as('postgres', $database, "CREATE EXTENSION sparselin; $common "
          . 'GRANT ALL ON sparselin_registry, sparselin_models, sparselin_model_values TO bob, dba; '
          . "GRANT CREATE ON DATABASE $database TO ann");
}
as('postgres', 'lent', 'ALTER SCHEMA public OWNER TO ann');

my $fit = q(sparselin_fit('n', 'SELECT features, label FROM rows'));
my $refit = q(sparselin_fit('m', 'SELECT features, label FROM rows', replace => true));
my $drift = q(sparselin_drift('m', 'SELECT features, label FROM rows'));
my $predict = q(sparselin_predict('m', '{1:1}'));
my @calls = ($fit, $refit, q(sparselin_retrain('m')), q(sparselin_activate('m', 1)), q(sparselin_drop('m')), q(sparselin_drop('m', 1)),
    q(sparselin_grant('m', 'public')), q(sparselin_revoke('m', 'public')), $drift, q(sparselin_drift('m')), $predict, q(sparselin_missing_model('m')),
    q(sparselin_report('m')));
my @by_name = ($drift, (map { "$_('m', '{1:1}')" } map { "sparselin_$_" } qw(predict probability classify decide)),
    q(sparselin_decide('m', '{1:1}', 0.3)), (map { "sparselin_$_('m')" } qw(info weights history history_plot missing_model)),
    (map { "sparselin_explain('m', $_)" } q('{1:1}'::sparsearray), q('word'::tsvector), q('{word}'::text[]), q('{"a": 1}'::jsonb)), q(sparselin_explain('m', rows) FROM rows),
    (map { "sparselin_evaluate('m', features, $_) FROM rows" } 'label', 'label, 2', 'id', 'id, 2'),
    (map { "sparselin_$_('m', features, label) FROM rows" } qw(curve calibration confusion)), q(sparselin_report('m')));
# What uses no table, but functions by the name of the schema.
my @drawn = (q(sparselin_chart('t', 'x', 'y', '[]')), q(sparselin_history_plot('{"learner":"sgd","loss":"hinge","weights":{}}'::text::sparselin_model)));
my $refused = qr/a superuser does not use models in tables of ann/;
my $lent = qr/a superuser does not use models in a schema of ann/;
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
    [ 'an index that has the planner run it', 'hers', 'ann', 'CREATE INDEX ON sparselin_models ((harm()))', \@by_name, $refused ],
    [ 'a rule', 'hers', 'ann', 'CREATE RULE harm AS ON DELETE TO sparselin_registry DO ALSO SELECT harm()', [q(sparselin_drop('m'))], $refused ],
    [ 'views in place of tables', 'hers', 'ann', <<'SQL', [ @calls, @by_name ], $refused ],
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
    [ 'a trigger with a condition', 'his', 'bob', <<'SQL', [ $refit, q(sparselin_drop('m')) ], qr/a superuser does not use models in a table whose trigger harm has a condition/ ],
CREATE SCHEMA bobs;
CREATE TRIGGER harm BEFORE UPDATE OR DELETE ON sparselin_registry FOR EACH ROW
WHEN (harm() = 1) EXECUTE FUNCTION suppress_redundant_updates_trigger();
SQL
    [ 'a trigger with arguments', 'his', 'bob', <<'SQL', [ $refit, q(sparselin_drop('m')) ], qr/a superuser does not use models in a table whose trigger harm has a condition or arguments/ ],
CREATE TRIGGER harm BEFORE UPDATE OR DELETE ON sparselin_registry FOR EACH ROW EXECUTE FUNCTION run_argument('SELECT public.harm()');
SQL
    [ 'a foreign key from a table with a trigger', 'his', 'bob', <<'SQL', [q(sparselin_drop('m'))], qr/a superuser does not use models in a table with foreign key to_m/ ],
CREATE SCHEMA bobs;
CREATE TABLE bobs.t (name text CONSTRAINT to_m REFERENCES sparselin_registry ON DELETE CASCADE);
INSERT INTO bobs.t VALUES ('m');
CREATE FUNCTION bobs.harm() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); RETURN OLD; END $$;
CREATE TRIGGER harm AFTER DELETE ON bobs.t FOR EACH ROW EXECUTE FUNCTION bobs.harm();
SQL
    [ 'the schema is somebody else\'s', 'lent', 'ann', 'SELECT', [ @calls, @drawn ], $lent ],
    [ 'other functions where the schema was', 'lent', 'ann', <<'SQL', [ map { s/\bsparselin/moved.sparselin/gr } @calls, @drawn ], $lent ],
ALTER SCHEMA public RENAME TO moved;
CREATE SCHEMA public;
CREATE TABLE public.rows AS SELECT * FROM moved.rows;
CREATE FUNCTION public.harm() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM moved.harm_here(); END $$;
CREATE FUNCTION moved.harm_here() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_catalog.nextval('moved.harmed'); END $$;
CREATE TABLE public.sparselin_registry AS SELECT * FROM moved.sparselin_registry;
CREATE TABLE public.sparselin_models AS SELECT * FROM moved.sparselin_models;
CREATE TABLE public.sparselin_model_values AS SELECT * FROM moved.sparselin_model_values;
CREATE FUNCTION public.sparselin_lock_model(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); END $$;
CREATE FUNCTION public.sparselin_report_text(text, integer) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); RETURN ''; END $$;
CREATE FUNCTION public.sparselin_check_tolerance(float8) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM public.harm(); END $$;
CREATE FUNCTION public.sparselin_option_table(OUT learners text[]) RETURNS SETOF text[] LANGUAGE plpgsql AS
$$ BEGIN PERFORM public.harm(); RETURN; END $$;
SQL
);
$node->safe_psql('his', 'GRANT CREATE ON DATABASE his TO bob; GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO ann');
$node->safe_psql('his', 'CREATE FUNCTION run_argument() RETURNS trigger LANGUAGE plpgsql AS '
      . '$$ BEGIN EXECUTE TG_ARGV[0]; RETURN coalesce(NEW, OLD); END $$');
$node->safe_psql('lent', 'GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO ann');

my $number = 0;
for my $attack (@attacks) {
    my ($name, $template, $attacker, $preparation, $calls, $answer, $before) = @$attack;
    my $database = 'attack_' . ++$number;
    my $owner = $template eq 'hers' ? 'ann' : 'postgres';
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE $template OWNER $owner");
    $node->safe_psql('postgres', "GRANT CREATE ON DATABASE $database TO ann, bob");
    as($attacker, $database, $preparation);
    my $harmed = ($preparation =~ /RENAME TO moved/ ? 'moved' : 'public') . '.harmed';
    for my $call (@$calls) {
        $node->safe_psql($database, "SELECT setval('$harmed', 0, false)");
        my ($status, $out, $err) = $node->psql($database, ($before // '') . "SELECT $call");
        like($err, $answer, "$name: $call is refused");
        is($node->safe_psql($database, "SELECT is_called FROM $harmed"), 'f', "$name: no harm done");
    }
}

# Who can become a superuser is as much worth.
as('ann', 'hers', <<'SQL');
GRANT ALL ON sparselin_registry, sparselin_models, sparselin_model_values TO dba, idle;
SELECT sparselin_grant('m', 'public');
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_registry FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON sparselin_models FOR EACH STATEMENT EXECUTE FUNCTION harm_by_trigger();
SQL
for my $who (qw(dba idle)) {
    for my $before ('', 'SET ROLE ann; ') {
        for my $call (@calls) {
            my ($status, $out, $err) = $node->psql('hers', "${before}SELECT $call", extra_params => [ '-U', $who ]);
            like($err, $refused, "$before$call is refused to $who");
        }
    }
}
is($node->safe_psql('hers', 'SELECT is_called FROM harmed'), 'f', 'no harm done by who can become a superuser');
$node->safe_psql('postgres', 'ALTER ROLE bob SUPERUSER');
my ($status, $out, $err) = $node->psql('hers', "SELECT $predict", extra_params => [ '-U', 'bob' ]);
like($err, $refused, 'nor by who has become one');
$node->safe_psql('postgres', 'ALTER ROLE bob NOSUPERUSER');

# What is behind the doors is for nobody to call: with a NULL that has the type of a door it stops before all else, and
# no other value of the type can be had.
for my $call (
    "sparselin_drop_inside('m')", "sparselin_drop_inside('x', 'm')", "sparselin_drop_inside(NULL, 'm')",
    "sparselin_drop_inside(NULL::sparselin_door, 'm')", "sparselin_prune('m', 0, 0)", "sparselin_prune('x', 'm', 0, 0)",
    "sparselin_grant_inside('m', 'bob')", "sparselin_grant_inside('x'::text, 'm', 'bob')",
    "sparselin_fit_inside('public', 'n', 'SELECT features, label FROM rows', 'casgd', NULL, 0, false)",
    "sparselin_drift_inside('public', 'm', NULL, 0.1)"
) {
    ($status, $out, $err) = $node->psql('hers', "SELECT $call");
    like($err, qr/function sparselin_\w+\(.*\) does not exist|a value of type sparselin_door cannot be written/, "$call is refused");
}
as('ann', 'hers', 'CREATE TABLE doors (door sparselin_door)');
my @inside = split /\n/, $node->safe_psql('hers', <<'SQL');
SELECT format('%s(%s)', proname,
              (SELECT string_agg(CASE t.type WHEN 'sparselin_door'::regtype THEN 'd.door' ELSE 'NULL::' || t.type::regtype END, ', ' ORDER BY t.place)
               FROM unnest(proargtypes) WITH ORDINALITY AS t(type, place)))
FROM pg_proc
WHERE proname LIKE 'sparselin%' AND prorettype <> 'trigger'::regtype AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
ORDER BY 1
SQL
cmp_ok(scalar @inside, '>=', 16, 'there are functions inside');
my @open = grep { !/d\.door/ } @inside;
is("@{[map { s/\(.*//r } @open]}",
    join(' ', map { "sparselin_$_" } qw(chart_axis chart_points charts_call check_fit check_has_query check_name check_retrain
          check_tolerance comparing_call comparison given_rows key_text learning_call profile_call report_number
          taken_name)), 'some need no door');
is($node->safe_psql('hers', <<'SQL'), '', 'they use nothing by its name');
SELECT string_agg(proname, ' ')
FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
WHERE proname LIKE 'spars%' AND lanname IN ('sql', 'plpgsql') AND prorettype <> 'trigger'::regtype
      AND 'sparselin_door'::regtype <> ALL (proargtypes) AND prosrc ~ '\mpublic\.\w+'
SQL
for my $call (grep { /d\.door/ } @inside) {
    ($status, $out, $err) = $node->psql('hers', "SELECT $call FROM (SELECT) AS o LEFT JOIN doors AS d ON true");
    like($err, qr/null value cannot be assigned to variable "(opened|search_path)" declared NOT NULL/, "$call stops");
}
for my $way ("INSERT INTO doors VALUES ('x')", "INSERT INTO doors VALUES ('x'::text)", 'COPY doors FROM stdin', "SELECT '{x}'::sparselin_door[]",
    q(SELECT jsonb_populate_record(NULL::doors, '{"door": "x"}')), "SELECT '(x)'::doors", "SELECT 'x'::varchar::sparselin_door",
    'CREATE CAST (text AS sparselin_door) WITHOUT FUNCTION'
) {
    ($status, $out, $err) = $node->psql('hers', "$way;\nx\n\\.\n", extra_params => [ '-U', 'ann' ]);
    like($err, qr/a value of type sparselin_door cannot be written|cannot cast|is of type sparselin_door but expression is of type|must be owner|must be superuser/, "$way makes no door");
}
is($node->safe_psql('hers', 'SELECT is_called FROM harmed'), 'f', 'no harm done behind the doors');
as('ann', 'hers', 'DROP TABLE doors; DROP TRIGGER harm ON sparselin_registry; DROP TRIGGER harm ON sparselin_models');

# Nobody puts a trigger there while a superuser trains.
$node->safe_psql('his', <<'SQL');
CREATE SEQUENCE started;
CREATE SEQUENCE told;
GRANT USAGE ON SEQUENCE told TO bob;
CREATE FUNCTION wait_until_told() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    PERFORM nextval('public.started');
    FOR i IN 1 .. 6000 LOOP
        EXIT WHEN (SELECT is_called FROM public.told);
        PERFORM pg_sleep(0.01);
    END LOOP;
    RETURN true;
END $$;
SQL
as('bob', 'his', 'CREATE SCHEMA bobs; CREATE FUNCTION bobs.harm() RETURNS trigger LANGUAGE plpgsql AS '
      . '$$ BEGIN PERFORM public.harm(); RETURN coalesce(NEW, OLD); END $$');
my ($said, $nothing) = ('', '');
my $training = IPC::Run::start(
    [ 'psql', '-XAtq', '-d', $node->connstr('his'), '-c', q(SELECT version FROM sparselin_fit('late', 'SELECT r.features, r.label FROM public.rows AS r WHERE (SELECT public.wait_until_told())')) ],
    \$nothing, \$said, '2>&1');
ok(wait_until(sub { $node->safe_psql('his', 'SELECT is_called FROM started') eq 't' }), 'a superuser trains');
($status, $out, $err) = $node->psql('his', "SET lock_timeout = '500ms'; CREATE TRIGGER harm AFTER INSERT ON sparselin_models FOR EACH ROW EXECUTE FUNCTION bobs.harm()",
    extra_params => [ '-U', 'bob' ]);
like($err, qr/lock timeout/, 'bob has to wait with his trigger');
as('bob', 'his', q(SELECT nextval('public.told')));
$training->finish;
is($said, "1\n", 'the training ends');
is($node->safe_psql('his', 'SELECT is_called FROM harmed'), 'f', 'and does no harm');
as('postgres', 'his', 'DROP SCHEMA bobs CASCADE');

# Others go on as before, and so do superusers where the tables are theirs.
is(as('ann', 'hers', "SELECT version FROM $refit"), '3', 'ann fits');
is(as('ann', 'hers', q(SELECT active FROM sparselin_retrain('m'))), 't', 'and retrains');
is(as('postgres', 'his', "SELECT version FROM $refit"), '3', 'a superuser fits');
is(as('postgres', 'his', "SELECT $predict IS NOT NULL"), 't', 'and predicts');
is(as('postgres', 'his', "SET ROLE bob; SELECT version FROM $fit"), '1', 'and does both for others');
is(as('dba', 'his', q(SELECT version FROM sparselin_fit('d', 'SELECT features, label FROM rows'))), '1', 'so does who can become one');
$node->safe_psql('postgres', 'CREATE DATABASE dbas OWNER dba');
as('dba', 'dbas', "CREATE EXTENSION sparselin; $common");
is(as('dba', 'dbas', "SELECT version FROM $refit"), '3', 'also in tables of its own');
is(as('postgres', 'dbas', "SELECT version FROM sparselin_fit('p', 'SELECT features, label FROM rows')"), '1', 'which superusers use as well');

# The schema has to keep its name; once it has it back, all is well.
as('postgres', 'his', 'ALTER SCHEMA public RENAME TO moved');
($status, $out, $err) = $node->psql('his', 'SET search_path = moved; SELECT ' . q(sparselin_retrain('m')));
like($err, $renamed, 'a schema that was renamed is told of');
like($err, qr/HINT:.*ALTER SCHEMA moved RENAME TO public/, 'with what to do');
is($node->safe_psql('his', "SET search_path = moved; SELECT $predict IS NOT NULL"), 't', 'models go on to be used by name');
as('postgres', 'his', 'ALTER SCHEMA moved RENAME TO public');
is(as('postgres', 'his', q(SELECT active FROM sparselin_retrain('m'))), 't', 'with its old name it works again');

# Since 15 schema public belongs to whoever owns the database.
$node->safe_psql('postgres', 'ALTER DATABASE his OWNER TO ann');
($status, $out, $err) = $node->psql('his', "SELECT $predict IS NOT NULL");
like("$out$err", server_version($node) < 15 ? qr/^t$/ : $lent, 'who owns the database may own the schema');

done_testing;
