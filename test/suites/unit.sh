# shellcheck shell=bash
suite_unit() {
    step build/log/unit-build "Building the unit tests, plain and sanitized ..." -- \
        make -C test/unit -j "$(cores)" WARNINGS=-Werror || {
        record 'unit (build)' 0 1
        return 0
    }
    unit_variant plain
    # The sanitizers make hours of minutes.
    $long || unit_variant sanitized
}

# The tests are dealt out to processes, as many at a time as there are cores; some take far longer than others.
# xargs starts no others after one that a signal ended: so bash ends in place of a test that crashes.
unit_variant() {
    local log=build/test/unit-$1.log filter='-*Long.*' status=0 shards
    ! $long || filter='*Long.*'
    shards=$(($(cores) * 4))
    # shellcheck disable=SC2016
    run xargs -a <(seq 0 $((shards - 1))) -P "$(cores)" -I '{}' \
        env "GTEST_TOTAL_SHARDS=$shards" 'GTEST_SHARD_INDEX={}' bash -c 'log=$1; shift; "$@" >"$log" 2>&1 || exit 1' bash "$log.{}" \
        "build/unit/$1/unit_tests" --gtest_color=no "--gtest_filter=$filter" || status=$?
    cat "$log".* >"$log"
    ((status == 0)) || grep -vE '^(\[ (RUN|      OK) |\[[-=]+\] |\[  PASSED  \] |Note: |Running main|$)' "$log" | tail -n 100
    count_googletest "unit ($1)" "$status" "$log"
}
