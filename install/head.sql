-- sparselin 1.0.0: linear models learned inside the database, on sparse data.
\echo Use "CREATE EXTENSION sparselin" to load this file. \quit

-- The owner of a database may create the extension, and a superuser then runs this, with the schema that it goes into on
-- the search_path. Who owns the schema may have put functions and operators there that fit a call better than those of
-- pg_catalog do, such as a format(text, text, text). So plain statements compute nothing but on arguments of exactly the
-- types that pg_catalog declares, and the blocks that generate what differs in a few words look nothing up there: they
-- set search_path, and name what is ours with its schema.
