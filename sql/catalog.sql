-- Every object of the extension as it was made: what a change of install/ changes shows here, and nothing else may. Run
-- from the repository's root, as make installcheck does.
\pset format unaligned
\pset tuples_only on
\set ECHO none
\i test/catalog.sql
