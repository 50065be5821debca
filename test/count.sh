# shellcheck shell=bash
# count.sh: what the suites print, turned into numbers. A suite that stops early, or runs nothing, has failed.

results=()
total_passed=0
total_failed=0

# record NAME PASSED FAILED
record() {
    results+=("$(printf '%-22s %6d passed %6d failed' "$1" "$2" "$3")")
    total_passed=$((total_passed + $2))
    total_failed=$((total_failed + $3))
    say "${results[-1]}"
}

# judge NAME STATUS PASSED FAILED [EXPECTED]: one more failure where the exit status or the count says that
# something is wrong and no test does.
judge() {
    local name=$1 status=$2 passed=$3 failed=$4 expected=${5:-1}
    ((status == 0 || failed > 0)) || failed=1
    ((passed + failed >= expected)) || failed=$((expected - passed))
    record "$name" "$passed" "$failed"
}

count() { grep -cE "$1" "$2" || true; }

# The functions below: NAME STATUS LOG [EXPECTED].

count_googletest() {
    local expected
    # Each process says how many are its own.
    expected=$(sed -nE 's/^\[=+\] Running ([0-9]+) tests? from.*/\1/p' "$3" | awk '{ sum += $1 } END { print sum + 0 }')
    ((expected > 0)) || expected=1
    judge "$1" "$2" "$(count '\[       OK \] [^ ]+.* \([0-9]+ ms\)$' "$3")" \
        "$(count '\[  FAILED  \] [^ ]+.* \([0-9]+ ms\)$' "$3")" "$expected"
}

# Lines of pg_regress up to 15: "test NAME ... ok 12 ms"; from 16 on: "ok 1 - NAME 12 ms".
count_pg_regress() {
    judge "$1" "$2" "$(count '^test .* \.\.\. ok |^ok [0-9]+ ' "$3")" \
        "$(count '^test .* \.\.\. FAILED|^not ok [0-9]+ ' "$3")" "$4"
}

# Assertions of the top level; a skipped one counts neither way.
count_tap() {
    local skipped
    skipped=$(count '^ok .*# [Ss][Kk][Ii][Pp]' "$3")
    judge "$1" "$2" "$(($(count '^ok ' "$3") - skipped))" "$(count '^not ok ' "$3")" "${4:-1}"
}

summary() {
    say '' "${results[@]}" ''
    say "$total_passed passed, $total_failed failed"
}

# A run that ends before its end has failed; its last line says so too.
finished=false
report_unfinished() {
    $finished && return
    record 'stopped early' 0 1
    summary
}
on_exit report_unfinished

finish() {
    finished=true
    summary
    ((total_failed == 0)) || exit 1
    exit 0
}
