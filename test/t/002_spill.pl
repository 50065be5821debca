# Rows that do not fit in work_mem go to a temporary file: the models are as good as from memory, the memory stays
# within bounds, and no file outlives its query. (A disk that is full is beyond a test; temp_file_limit is near.)
use strict;
use warnings;

use SparselinTest;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_node('spill', 'log_temp_files = 0', 'max_parallel_workers_per_gather = 0', 'shared_buffers = 64MB');
my $small = 'SET work_mem = 64; ';
my $large = "SET work_mem = '256MB'; ";

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS
SELECT id, id % 7 AS part, (hashint8(id) & 15) > 0 AND (id % 40 + id % 333 / 20 + id % 1000 / 50 > 37) AS y,
       sparsearray(ARRAY[1 + id % 40, 100 + id % 333 / 20, 900 + id % 1000 / 50, 5000 + id]::bigint[],
                   ARRAY[1, 0.5 + id % 3, 2, 0.1]) AS x
FROM generate_series(1, 20000) AS id;
CREATE TABLE by_label AS SELECT * FROM rows ORDER BY y, id;
CREATE TABLE long_rows AS
SELECT id, id % 2 = 0 AS y,
       sparsearray(array_agg(1 + (id * 7 + i * i) % 100003 ORDER BY i)::bigint[], array_agg(1 / (1.0 + i))) AS x
FROM generate_series(1, 60) AS id, (SELECT DISTINCT ON (i * i % 100003) i FROM generate_series(1, 12000) AS i) AS s
GROUP BY id;
VACUUM ANALYZE;
SQL

# Bytes that went through temporary files, by what the server says to the client when each is removed.
sub spilled_bytes {
    my ($sql) = @_;
    my ($out, $err);
    $node->psql('postgres', "SET client_min_messages = log; $sql", stdout => \$out, stderr => \$err, on_error_die => 1);
    my $bytes = 0;
    $bytes += $1 while $err =~ /temporary file: .* size (\d+)/g;
    return ($bytes, $out);
}

sub no_file_left {
    my ($after) = @_;
    is(join(' ', temporary_files($node)), '', "no temporary file is left after $after");
}

sub one_value { return $node->safe_psql('postgres', join '', @_) }

subtest 'the same model, bit for bit' => sub {
    my $model = 'SELECT md5(%s, $$sampling=%s epochs=%d $$)::text) FROM %s';
    my $class = q{(ARRAY['one', 'two', 'three'])[1 + id % 3]};
    for my $case (
        [ 'asgd_train(x, y',  'sequential',  2, 'rows' ], [ 'casgd_train(x, y', 'sequential',  3, 'rows' ],
        [ 'sgd_train(x, y',   'replacement', 1, 'rows' ], [ 'casgd_train(x, y', 'replacement', 2, 'rows' ],
        [ 'casgd_train(x, y', 'sequential',  2, 'long_rows' ], [ 'casgd_train(x, y', 'replacement', 2, 'long_rows' ],
        [ "casgd_train(x, $class", 'sequential',  2, 'rows' ],
        [ "casgd_train(x, $class", 'replacement loss=multinomial', 2, 'long_rows' ]) {
        my $sql = sprintf $model, @$case;
        my ($none, $in_memory) = spilled_bytes("$large $sql");
        my ($some, $spilled)   = spilled_bytes("$small $sql");
        is($none, 0, "@$case: in memory");
        cmp_ok($some, '>', 9e5, "@$case: spilled");
        is($spilled, $in_memory, "@$case: the same model");
    }
};

subtest 'evaluation' => sub {
    my $model = '$${"learner":"sgd","loss":"logistic","weights":{"1":0.5,"4":-1,"9":1,"950":0.25}}$$::sparselin_model';
    my $card = "SELECT sparselin_evaluate($model, x, y%s) FROM rows";
    for my $weight ('', ', 1 + id % 3 * 0.1') {
        my ($none, $in_memory) = spilled_bytes($large . sprintf $card, $weight);
        my ($some, $spilled)   = spilled_bytes($small . sprintf $card, $weight);
        is($none, 0, 'in memory');
        cmp_ok($some, '>', 1e5, 'spilled');
        is($spilled, $in_memory, "the same card: $spilled");
    }
    for my $aggregate ('curve', 'calibration') {
        for my $weight ('', ', 1 + id % 3 * 0.1') {
            my $sql = "SELECT md5(sparselin_$aggregate($model, x, y$weight)::text) FROM rows";
            my ($none, $in_memory) = spilled_bytes("$large$sql");
            my ($some, $spilled)   = spilled_bytes("$small$sql");
            is($none, 0, "$aggregate in memory");
            cmp_ok($some, '>', 1e5, "$aggregate spilled");
            is($spilled, $in_memory, "the same $aggregate");
        }
    }
    # Counted once, for all three.
    my $all = "SELECT md5(ROW(sparselin_curve($model, x, y), sparselin_evaluate($model, x, y), sparselin_calibration($model, x, y))::text) FROM rows";
    my ($once, $of_all) = spilled_bytes("$small$all");
    cmp_ok($once, '<', 2 * (spilled_bytes($small . sprintf $card, ''))[0], 'scores are kept once');
    is($of_all, (spilled_bytes("$large$all"))[1], 'all of them, one after the other');
    my ($hardly, undef) = spilled_bytes("SET work_mem = 400; " . sprintf $card, '');
    is($hardly, 0, 'eight bytes a row');
    my $groups = "SELECT part, sparselin_evaluate($model, x, y) AS e FROM rows GROUP BY part";
    for my $sort ('on', 'off') {
        my $sql = "SET enable_sort = $sort; SET enable_hashagg = " . ($sort eq 'on' ? 'off; ' : 'on; ')
          . "SELECT sum((e).rows), round(sum((e).auc)::numeric, 12) FROM ($groups) AS g";
        my ($some, $spilled) = spilled_bytes($small . $sql);
        is($spilled, (spilled_bytes($large . $sql))[1], "groups: $spilled");
        no_file_left('groups');
    }
    one_value("$small SET enable_sort = off; $groups LIMIT 1");
    no_file_left('a query cut short by LIMIT');
    one_value("$small SET enable_sort = off; BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; COMMIT");
    no_file_left('a closed cursor');
    fails_like($node, "SET temp_file_limit = '100kB'; $small" . sprintf($card, ''), qr/temporary file size exceeds/,
        'temp_file_limit');
    no_file_left('an error');
};

subtest 'shuffle' => sub {
    my $model = "SELECT md5(casgd_train(x, y)::text) FROM rows";
    is(one_value($small, $model), one_value($small, $model), 'reproducible when spilled');
    my $right = 'SELECT avg((sparselin_decide(m, x) = y)::int)::float4 '
      . 'FROM rows, (SELECT casgd_train(x, y) AS m FROM %s) AS m';
    my $in_memory = one_value($large, sprintf $right, 'rows');
    cmp_ok($in_memory, '>', 0.9, "learned in memory: $in_memory right");
    for my $kb (64, 256) {
        my ($bytes, $spilled) = spilled_bytes("SET work_mem = $kb; " . sprintf $right, 'by_label');
        cmp_ok($bytes, '>', 9e5, "spilled at $kb kB");
        cmp_ok($spilled, '>', $in_memory - 0.01, "as well from rows sorted by label: $spilled right");
    }
};

subtest 'many files come and go' => sub {
    my $in_file = "$small SET enable_sort = off; ";
    my $groups = 'SELECT part, casgd_train(x, y, $$epochs=2$$) AS m FROM rows GROUP BY part';
    my $files  = 'SELECT count(*) FROM pg_ls_tmpdir()';
    my ($out, $err);
    # Without a warning that a file leaked.
    my $clean = sub {
        my ($sql, $name) = @_;
        $node->psql('postgres', "$in_file $sql", stdout => \$out, stderr => \$err, on_error_die => 1);
        is($err, '', "$name: no warning");
        no_file_left($name);
    };
    $clean->("SELECT count(m) FROM ($groups) AS g", 'groups');
    is($out, 7, 'all groups');
    $clean->("$groups LIMIT 1", 'a query cut short by LIMIT');
    $clean->("BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; $files; CLOSE c; $files; COMMIT", 'a closed cursor');
    like($out, qr/\|\{.*\n[1-9]\n0$/, 'files while the cursor is open, none when it is closed');
    $clean->("BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; COMMIT", 'a cursor open at commit');
    $clean->("BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; ROLLBACK", 'a cursor open at rollback');
    $clean->(<<"SQL", 'a cursor in a subtransaction rolled back');
BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; ROLLBACK TO s; $files; COMMIT
SQL
    like($out, qr/\n0$/, 'none after ROLLBACK TO');
    $clean->(<<"SQL", 'queries cut short in a loop');
DO \$do\$
DECLARE r record; most bigint := 0; files bigint;
BEGIN
    FOR i IN 1..5 LOOP
        EXECUTE '$groups LIMIT 1' INTO r;
        $files INTO files;
        most := greatest(most, files);
    END LOOP;
    ASSERT most = 0, format('%s files', most);
END \$do\$
SQL
    # Another run of the subquery resets a context that still has users.
    $clean->(<<"SQL", 'a subquery run again');
SELECT count(m), max(files) < 4 FROM generate_series(1, 5) AS i,
    LATERAL (SELECT part, casgd_train(x, y, 'epochs=2') AS m FROM rows WHERE id > i GROUP BY part LIMIT 1) AS m,
    LATERAL (SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE i > 0) AS f
SQL
    is($out, '5|t', 'each time without the files of the time before');
};

subtest 'errors' => sub {
    my $bad_row = "(x, CASE id WHEN 19999 THEN 'NaN' ELSE y::int::float8 END) FROM rows";
    fails_like($node, "$small SELECT casgd_train$bad_row", qr/row 19999: label is NaN/, 'a bad row after spilling');
    no_file_left('an error in the transition function');
    fails_like($node, "$small SELECT asgd_train(x, y::int, 'loss=squared lambda=1e-9 step_offset=0 implicit_above=inf') FROM rows",
        qr/training diverged/, 'divergence in spilled epochs');
    no_file_left('an error in the final function');
    fails_like($node, "$small SET temp_file_limit = '512kB'; SELECT casgd_train(x, y) FROM rows",
        qr/temporary file size exceeds "?temp_file_limit"? \(512kB\)/, 'temp_file_limit');
    no_file_left('temp_file_limit');
    fails_like($node,
        "$small SET enable_sort = off; SET temp_file_limit = '1MB'; SELECT casgd_train(x, y) FROM rows GROUP BY part",
        qr/temporary file size exceeds "?temp_file_limit"? \(1024kB\)/, 'temp_file_limit, several groups');
    no_file_left('temp_file_limit, several groups');
    # An exception that is caught, and the same session goes on.
    is( one_value("$small DO \$\$ BEGIN PERFORM casgd_train$bad_row; ",
            'EXCEPTION WHEN invalid_parameter_value THEN END $$; ',
            'SELECT count(*) FROM pg_ls_tmpdir(); SELECT (sparselin_info(casgd_train(x, y))).rows FROM rows'),
        "0\n20000", 'the session goes on');
    my $query = background_query($node, "SELECT casgd_train(x, y, 'epochs=1000000') FROM rows", 'work_mem = 64');
    ok(wait_until(sub { temporary_files($node) > 0 }), 'there is a file while it runs');
    $query->cancel;
    no_file_left('cancel');
};

# The most memory that the backend has to itself while the query runs, beyond what it has before, in MB.
sub peak_mb {
    my ($sql, @settings) = @_;
    my $query = background_query($node, "SELECT pg_sleep(0.3); $sql", @settings);
    my $peak = my $start = backend_memory_kb($query->pid);
    while (defined(my $now = backend_memory_kb($query->pid))) {
        $peak = $now if $now > $peak;
        sleep 0.01;
    }
    my ($status, $out, $err) = $query->finish;
    is($status, 0, "it ran: $err");
    return (($peak - $start) / 1024, $out);
}

subtest 'work_mem bounds all groups together' => sub {
    my $groups = <<'SQL';
SELECT count(*), min((sparselin_info(m)).rows), max((sparselin_info(m)).rows) FROM (
    SELECT g, asgd_train('{1:1,3:2}'::sparsearray, r % 2 = 0, 'epochs=1') AS m
    FROM generate_series(1, 500) AS r, generate_series(1, 20000) AS g GROUP BY g) AS v
SQL
    for my $plan ('enable_sort', 'enable_hashagg') {
        my ($mb, $out) = peak_mb($groups, "work_mem = '4MB'", "$plan = off");
        like($out, qr/20000\|500\|500$/, "20,000 groups of 500 rows without $plan");
        cmp_ok($mb, '<', 100, sprintf 'within 100 MB: %.1f', $mb);
        no_file_left("groups without $plan");
    }
};

# Few rows of a stream go with its model; that such a one would be too large is known before any of them is brought
# back from the file.
subtest 'rows that cannot go with a model' => sub {
    $node->safe_psql('postgres', 'CREATE TABLE wide AS SELECT array_fill(1::real, ARRAY[1000000])::sparsearray AS x');
    my $train = q{SELECT (sparselin_info(onepass_train(x, i % 2 = 0%s))).rows FROM wide, generate_series(1, 110) AS i};
    my $query = background_query($node, 'SELECT pg_sleep(0.3); ' . sprintf($train, ''), "work_mem = '16MB'");
    my $peak = my $start = backend_memory_kb($query->pid);
    while (defined(my $now = backend_memory_kb($query->pid))) {
        $peak = $now if $now > $peak;
        sleep 0.01;
    }
    my ($status, $out, $err) = $query->finish;
    like($err, qr/the model is too large: 117\d{7} bytes as text, 1073741822 allowed.*resumable => false/s, 'said so');
    my $mb = ($peak - $start) / 1024;
    cmp_ok($mb, '<', 100, sprintf '880 MB of rows in %.0f MB', $mb);
    is(one_value("SET work_mem = '16MB'; " . sprintf $train, ", 'resumable=false'"), 110, 'as the hint says');
    no_file_left('a model that is too large');
};

# What the backend has to itself when the last row has been taken in, beyond what it has after a first call, in kB.
sub growth_kb {
    my ($call, $rows) = @_;
    my $own = q{substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::bigint};
    my @kb = split /\n/, one_value("SET work_mem = '1GB'; ", <<"SQL");
SET enable_sort = off; SET jit = off;
SELECT casgd_train('{1:1}', y > 10) IS NULL FROM generate_series(1, 20) AS y;
SELECT $own;
SELECT max(kb)
FROM (SELECT $call, max(CASE WHEN last THEN $own END) AS kb FROM $rows GROUP BY g) AS v WHERE m IS NOT NULL
SQL
    return $kb[2] - $kb[1];
}

subtest 'memory follows the distinct features' => sub {
    my $options = 'epochs=1 sampling=sequential lambda=0.1 step_offset=1 resumable=false';
    my $call = "asgd_train(x, y, '$options') AS m";
    my $per_group = growth_kb($call, <<'SQL') / 20000;
(SELECT g, r % 2 = 0 AS y, sparsearray(ARRAY[r, 10 * g + r]::bigint[], ARRAY[1, 2]) AS x, g = 20000 AND r = 5 AS last
 FROM generate_series(1, 5) AS r, generate_series(1, 20000) AS g) AS s
SQL
    # All groups grow at the same time, so what one has grown out of serves no other; PostgreSQL's own part is 0.2.
    cmp_ok($per_group, '<', 2.8, sprintf '20,000 groups of 10 features: %.2f kB a group', $per_group);
    my $scattered = growth_kb($call, <<'SQL') / 1024;
(SELECT 1 AS g, r % 2 = 0 AS y, r = 25000 AS last,
        sparsearray(ARRAY[r * k, (r + 25000) * k, (r + 50000) * k, (r + 75000) * k], ARRAY[1, 2, 3, 4]) AS x
 FROM generate_series(1, 25000) AS r, (VALUES (21473::bigint)) AS v(k)) AS s
SQL
    cmp_ok($scattered, '<', 16, sprintf '100,000 features scattered over 2^31: %.1f MB', $scattered);
};

done_testing;
