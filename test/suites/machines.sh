# shellcheck shell=bash
# What counts is what was tried: where no machines can be made, nothing has passed.
suite_machines() {
    local log=build/test/machines.log status=0 expected=1
    run test/machines >"$log" 2>&1 || status=$?
    grep -v '^ok ' "$log" || true
    ! grep -q '^1\.\.0 # SKIP' "$log" || expected=0
    count_tap machines "$status" "$log" "$expected"
}
