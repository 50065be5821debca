-- What the other files stand on.
CREATE EXTENSION sparselin;
SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'sparselin';
