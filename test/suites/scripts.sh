# shellcheck shell=bash
suite_scripts() {
    local log=build/test/scripts.log status=0
    run test/interrupts >"$log" 2>&1 || status=$?
    ((status == 0)) || grep -v '^ok ' "$log"
    count_tap scripts "$status" "$log"
}
