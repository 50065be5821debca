-- What the extension is, as the catalogs have it: for each object lines with all that was said of it when it was made, and
-- one with its comment. Not the text of functions and policies: what they do has tests.
WITH extension AS (
    SELECT oid, extowner, extconfig FROM pg_extension WHERE extname = 'sparselin'
), members AS (
    SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object
    FROM pg_depend AS d JOIN extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE d.deptype = 'e'
), functions AS (
    SELECT p.*, object,
           format('(%s) returns %s volatile=%s parallel=%s cost=%s', pg_get_function_arguments(oid),
                  pg_get_function_result(oid), provolatile, proparallel, procost) AS head
    FROM pg_proc AS p JOIN members ON classid = 'pg_proc'::regclass AND objid = oid
), families AS (
    SELECT f.*, object FROM pg_opfamily AS f JOIN members ON classid = 'pg_opfamily'::regclass AND objid = oid
), tables AS (
    SELECT c.*, object
    FROM pg_class AS c JOIN members ON classid = 'pg_class'::regclass AND objid = oid
                                       OR classid = 'pg_type'::regclass AND objid = reltype AND relkind = 'c'
), lines (object, said) AS (
    SELECT object, concat_ws(' ', head, lanname, CASE WHEN lanname IN ('c', 'internal') THEN prosrc END,
                             CASE WHEN proisstrict THEN 'strict' END, CASE WHEN prosecdef THEN 'security definer' END,
                             CASE WHEN proleakproof THEN 'leakproof' END, CASE WHEN proretset THEN 'rows=' || prorows END,
                             proconfig::text, CASE WHEN proacl IS NOT NULL THEN 'rights granted or revoked' END)
    FROM functions JOIN pg_language AS l ON l.oid = prolang WHERE prokind = 'f'
    UNION ALL
    SELECT object, format('%s step=%s final=%s/%s combine=%s serialize=%s deserialize=%s state=%s/%s', head,
                          aggtransfn::oid::regprocedure, aggfinalfn, aggfinalmodify, aggcombinefn, aggserialfn,
                          aggdeserialfn, aggtranstype::regtype, aggtransspace)
    FROM functions AS f JOIN pg_aggregate ON aggfnoid = f.oid
    UNION ALL
    SELECT object, format('in=%s out=%s receive=%s send=%s length=%s align=%s storage=%s', typinput, typoutput, typreceive,
                          typsend, typlen, typalign, typstorage)
    -- Arrays are members from PostgreSQL 17 on.
    FROM pg_type AS t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typtype = 'b' AND typelem = 0
    UNION ALL
    SELECT object, format('function=%s commutator=%s negator=%s restrict=%s join=%s hashes=%s merges=%s',
                          oprcode::oid::regprocedure, oprcom::regoperator, oprnegate::regoperator, oprrest, oprjoin,
                          oprcanhash, oprcanmerge)
    FROM pg_operator AS o JOIN members ON classid = 'pg_operator'::regclass AND objid = o.oid
    UNION ALL
    SELECT object, format('function=%s context=%s', castfunc::regprocedure, castcontext)
    FROM pg_cast AS c JOIN members ON classid = 'pg_cast'::regclass AND objid = c.oid
    UNION ALL
    SELECT object, format('type=%s default=%s', opcintype::regtype, opcdefault)
    FROM pg_opclass AS c JOIN members ON classid = 'pg_opclass'::regclass AND objid = c.oid
    UNION ALL
    SELECT object, format('operator %s: %s', amopstrategy, amopopr::regoperator)
    FROM families AS f JOIN pg_amop ON amopfamily = f.oid
    UNION ALL
    SELECT object, format('function %s: %s', amprocnum, amproc::oid::regprocedure)
    FROM families AS f JOIN pg_amproc ON amprocfamily = f.oid
    UNION ALL
    SELECT object, format('kind=%s row_security=%s owner_of_extension=%s rights_of_others=%s dumped=%s', relkind,
                          relrowsecurity, relowner = extowner, relacl IS NOT NULL, t.oid = ANY (extconfig))
    FROM tables AS t, extension
    UNION ALL
    SELECT object, concat_ws(' ', format('column %s: %s %s', to_char(attnum, 'FM00'), attname, format_type(atttypid, atttypmod)),
                             CASE WHEN attnotnull THEN 'not null' END, 'default ' || pg_get_expr(adbin, adrelid),
                             '-- ' || col_description(t.oid, attnum))
    FROM tables AS t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0
         LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    -- NOT NULL is a constraint from PostgreSQL 18 on.
    SELECT object, format('constraint %s: %s', conname, pg_get_constraintdef(c.oid))
    FROM tables AS t JOIN pg_constraint AS c ON conrelid = t.oid WHERE contype <> 'n'
    UNION ALL
    SELECT object, pg_get_indexdef(indexrelid) FROM tables AS t JOIN pg_index ON indrelid = t.oid
    UNION ALL
    SELECT object, pg_get_triggerdef(g.oid) FROM tables AS t JOIN pg_trigger AS g ON tgrelid = t.oid
    UNION ALL
    SELECT object, format('policy %s for %s permissive=%s everybody=%s', polname, polcmd, polpermissive, polroles = '{0}')
    FROM tables AS t JOIN pg_policy ON polrelid = t.oid
    UNION ALL
    SELECT object, '-- ' || description
    FROM members JOIN pg_description ON classoid = classid AND objoid = objid AND objsubid = 0
)
SELECT object || ': ' || said AS line FROM lines ORDER BY object COLLATE "C", said COLLATE "C";
