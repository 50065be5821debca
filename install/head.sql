-- sparselin 1.0.0: linear models learned inside the database, on sparse data.
\echo Use "CREATE EXTENSION sparselin" to load this file. \quit
