# shellcheck shell=bash
suite_isolation() {
    local log=build/test/isolation.log status=0 files
    files=$(compgen -G 'test/isolation/specs/*.spec' | wc -l || true)
    # Not every package has it: Debian's of 13 lacks it.
    if [[ ! -x $(dirname "$(pg --pgxs)")/../test/isolation/pg_isolation_regress ]]; then
        say 'not run: there is no pg_isolation_regress'
        return 0
    fi
    if ((files == 0)); then
        say 'no specs'
        return 0
    fi
    run make installcheck REGRESS= >"$log" 2>&1 || status=$?
    if ((status)); then
        tail -n 40 "$log"
        head -n 300 output_iso/regression.diffs 2>/dev/null || true
    fi
    count_pg_regress isolation "$status" "$log" "$files"
}
