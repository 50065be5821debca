-- Every object of the extension has a comment, and the reference has every object, function by function with its
-- signature. Run from the repository's root, as make installcheck does.
\set reference `cat docs/reference.md`
\set readme `cat README.md`
\set algorithms `cat docs/algorithms.md`
\set benchmarks `cat docs/benchmarks.md`
\set operations `cat docs/operations.md`
\set hashing `cat docs/hashing.md`
\set guide `cat docs/guide.md`
\set troubleshooting `cat docs/troubleshooting.md`
\set tutorial `cat docs/tutorial.md`
\set features `cat docs/features.md`

CREATE TEMP TABLE objects AS
SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object,
       obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid)) AS description
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sparselin')
      -- Types that the server makes by itself, of arrays and of rows, are members from 17 on.
      AND NOT (classid = 'pg_type'::regclass
               AND EXISTS (SELECT FROM pg_type WHERE oid = objid AND (typrelid <> 0 OR typcategory = 'A')));
SELECT count(*) > 100 AS there_are_objects FROM objects;

SELECT object AS without_comment FROM objects WHERE description IS NULL ORDER BY 1;

-- What is SQL-callable and not for the planner and the executor alone: all but I/O and support functions.
CREATE TEMP TABLE functions AS
SELECT proname AS name,
       proname || '(' || pg_get_function_identity_arguments(oid) || ') returns ' || pg_get_function_result(oid) AS signature,
       'internal'::regtype = ANY (prorettype || proargtypes::oid[])
       OR 'cstring'::regtype = ANY (prorettype || proargtypes::oid[]) OR proname ~ '_send$' AS for_the_server
FROM objects JOIN pg_proc ON oid = objid
WHERE classid = 'pg_proc'::regclass;

-- Line breaks and default values are the page's own business.
CREATE TEMP VIEW reference AS
SELECT regexp_replace(regexp_replace(:'reference', '\s+', ' ', 'g'), ' DEFAULT [^,)]+', '', 'g') AS page;

SELECT signature AS function_without_reference
FROM functions, reference
WHERE NOT for_the_server AND strpos(page, '`' || signature || '`') = 0
UNION ALL
SELECT name
FROM functions, reference
WHERE for_the_server AND strpos(page, '`' || name || '`') = 0
ORDER BY 1;

SELECT object AS other_without_reference
FROM (
    SELECT object, format('Type `%s`', typname) AS mention
    FROM objects JOIN pg_type ON oid = objid WHERE classid = 'pg_type'::regclass
    UNION ALL
    SELECT object, format('`%s %s %s`', oprleft::regtype, oprname, oprright::regtype)
    FROM objects JOIN pg_operator ON oid = objid WHERE classid = 'pg_operator'::regclass
    UNION ALL
    SELECT object, format('`CAST (%s AS %s)`', castsource::regtype, casttarget::regtype)
    FROM objects JOIN pg_cast ON oid = objid WHERE classid = 'pg_cast'::regclass
    UNION ALL
    SELECT object, format('`%s` for `%s`', opcname, amname)
    FROM objects JOIN pg_opclass AS c ON c.oid = objid JOIN pg_am AS a ON a.oid = opcmethod
    WHERE classid = 'pg_opclass'::regclass
    UNION ALL
    SELECT object, format('`%s` for `%s`', opfname, amname)
    FROM objects JOIN pg_opfamily AS f ON f.oid = objid JOIN pg_am AS a ON a.oid = opfmethod
    WHERE classid = 'pg_opfamily'::regclass
    UNION ALL
    SELECT object, format('%s `%s`', CASE relkind WHEN 'v' THEN 'View' ELSE 'Table' END, relname)
    FROM objects JOIN pg_class ON oid = objid WHERE classid = 'pg_class'::regclass
    UNION ALL
    SELECT object, NULL
    FROM objects
    WHERE classid <> ALL (ARRAY['pg_proc', 'pg_type', 'pg_operator', 'pg_cast', 'pg_opclass', 'pg_opfamily', 'pg_class']::regclass[])
) AS others, reference
WHERE coalesce(strpos(page, mention), 0) = 0
ORDER BY 1;

-- And the other way round: no page names a function that does not exist.
SELECT DISTINCT page, call[1] AS function_that_does_not_exist
FROM (VALUES ('README.md', :'readme'), ('docs/reference.md', :'reference'), ('docs/algorithms.md', :'algorithms'),
             ('docs/benchmarks.md', :'benchmarks'), ('docs/operations.md', :'operations'),
             ('docs/hashing.md', :'hashing'), ('docs/guide.md', :'guide'), ('docs/troubleshooting.md', :'troubleshooting'),
             ('docs/tutorial.md', :'tutorial'), ('docs/features.md', :'features')) AS pages (page, text),
     regexp_matches(text, '\m((?:sparselin|sparsearray)(?:_[a-z0-9_]+)?|[a-z]+_train)(?:\(|`)', 'g') AS call
WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = call[1])
      AND to_regtype(call[1]) IS NULL
      AND NOT EXISTS (SELECT FROM pg_opclass WHERE opcname = call[1])
      AND call[1] <> 'sparselin'
ORDER BY 1, 2;
