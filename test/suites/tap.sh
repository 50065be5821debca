# shellcheck shell=bash
# The TAP tests make clusters of their own, with the modules that PostgreSQL installs for it, as the server's
# user; so they run on a copy that this user can read and write. One after the other, except for what waits for
# pg_cron, and what takes longest, which measures the time of a backend's own: they run beside the others.
suite_tap() {
    local log=build/test/tap.log status=0 tests=test/t modules dir=$scratch/tap
    ! $long || tests=test/long
    modules=$(dirname "$(pg --pgxs)")/../test/perl
    [[ -r $modules/PostgreSQL/Test/Cluster.pm ]] || fail "PostgreSQL's Perl modules for tests are not in $modules"
    on_exit stop_tap_servers
    make_server_dir "$dir"
    mkdir -m 755 "$dir/test"
    cp -r "$tests" "$dir/test/"
    cp -r test/perl "$dir/test/perl"
    cp test/catalog.sql "$dir/test/"
    mkdir "$dir/test/modules"
    build_test_modules "$dir/test/modules" || {
        record 'tap (modules)' 0 1
        return 0
    }
    cp -r demo "$dir/demo"
    chmod -R a+rX "$dir/test" "$dir/demo"
    mkdir -m 700 "$dir/tmp"
    ((EUID != 0)) || chown -R "${as_server[2]}:${as_server[4]}" "$dir"
    run env -C "$dir" "${as_server[@]}" env -u PGHOST -u PGPORT -u PGUSER -u PGDATABASE "HOME=$dir" \
        "TMPDIR=$dir/tmp" "TESTDIR=$dir/tmp" "TESTDATADIR=$dir/tmp/tmp_check" "TESTLOGDIR=$dir/tmp/tmp_check/log" \
        "PG_REGRESS=$(dirname "$(pg --pgxs)")/../test/regress/pg_regress" PG_TEST_NOCLEAN= \
        prove --verbose --comments -I test/perl -I "$modules" \
        --jobs 3 --rules 'par=**_cron.pl' --rules 'par=**_cancel.pl' --rules 'seq=**' "$tests"/*.pl >"$log" 2>&1 || status=$?
    if ((status)); then
        grep -vE '^ok |^ *ok ' "$log" | tail -n 100
        cp -r "$dir/tmp/tmp_check/log" build/test/tap-servers || true
    fi
    count_tap tap "$status" "$log"
}

# What tests load into the server: each file of test/modules is a library.
build_test_modules() {
    local source name
    for source in test/modules/*.c; do
        name=$(basename "$source" .c)
        step "build/log/module-$name" "Building $source ..." -- \
            "${CC:-cc}" -O1 -g -Wall -Werror -shared -fPIC "-I$(pg --includedir-server)" -o "$1/$name.so" "$source" ||
            return
    done
}

# Left over only when a test was killed too hard to do it itself.
stop_tap_servers() {
    local file
    find "$scratch/tap" -name postmaster.pid 2>/dev/null | while read -r file; do
        "${as_server[@]}" pg_ctl -D "$(dirname "$file")" stop -s -m immediate
    done
} >/dev/null 2>&1
