# shellcheck shell=bash
# try_machines NAME: runs test/NAME. What counts is what was tried: where no machines can be made, nothing has passed.
try_machines() {
    local log=build/test/$1.log status=0 expected=1
    run "test/$1" >"$log" 2>&1 || status=$?
    grep -v '^ok ' "$log" || true
    ! grep -q '^1\.\.0 # SKIP' "$log" || expected=0
    count_tap "$1" "$status" "$log" "$expected"
}
