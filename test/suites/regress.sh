# shellcheck shell=bash
suite_regress() { regress regress; }

# regress NAME: sql/ and expected/, with the library that is installed.
regress() {
    local log=build/test/$1.log status=0 files
    files=$(compgen -G 'sql/*.sql' | wc -l || true)
    run make installcheck ISOLATION= >"$log" 2>&1 || status=$?
    if ((status)); then
        grep -vE '^test .* \.\.\. ok |^ok ' "$log" | tail -n 40
        head -n 300 regression.diffs 2>/dev/null || true
    fi
    count_pg_regress "$1" "$status" "$log" "$files"
}
