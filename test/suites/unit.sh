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

unit_variant() {
    local log=build/test/unit-$1.log filter='-*Long.*' status=0
    ! $long || filter='*Long.*'
    run "build/unit/$1/unit_tests" --gtest_color=no "--gtest_filter=$filter" >"$log" 2>&1 || status=$?
    ((status == 0)) || grep -vE '^\[ (RUN|      OK) ' "$log" | tail -n 100
    count_googletest "unit ($1)" "$status" "$log"
}
