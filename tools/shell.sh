# shellcheck shell=bash
# shell.sh: the ground under the scripts of this repository, to be sourced first.
# Works in a scratch directory (in SPARSELIN_TMP, or /tmp) that goes away with the script, however it ends. What runs for long
# runs under `run`, in a session of its own: the shell stays responsive to signals, and an interrupt ends all of it.
set -euo pipefail

say() { printf '%s\n' "$@"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

scratch=
exit_steps=()
on_exit() { exit_steps+=("$1"); }  # last in, first out

end_the_script() {
    local status=$? i
    trap '' INT TERM HUP PIPE
    trap - EXIT
    set +e
    stop_jobs
    for ((i = ${#exit_steps[@]} - 1; i >= 0; i--)); do "${exit_steps[i]}"; done
    [[ -n $scratch ]] && rm -rf "$scratch"
    exit "$status"
}

# To be called when all there is to source has been sourced. (When a signal comes while bash 5.2 parses a $(...), the
# trap fails with a message and status 2; the script still ends, and end_the_script still runs.)
begin_the_script() {
    trap end_the_script EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # mktemp is kept from dying between making the directory and telling us its name.
    scratch=$(trap '' INT TERM HUP && mktemp -d "${SPARSELIN_TMP:-/tmp}/sparselin.XXXXXX")
}

run() {
    setsid "$@" </dev/null &
    wait $!
}

# A server is stopped by its own exit step, after what uses it.
server=
stop_jobs() {
    local pid round
    for pid in $(jobs -p); do
        [[ $pid == "$server" ]] && continue
        # Before it has become a session's leader it has no group.
        kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null
        for round in {1..100}; do
            kill -0 -- "-$pid" 2>/dev/null || kill -0 "$pid" 2>/dev/null || break
            ((round == 60)) && kill -KILL -- "-$pid" 2>/dev/null
            sleep 0.1
        done
    done
} 2>/dev/null

# step LOG WORDS... -- COMMAND...: runs quietly; shows the end of the log when it fails.
step() {
    local log=$1 words=()
    shift
    while [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    shift
    say "${words[*]}"
    mkdir -p "$(dirname "$log")"
    local status=0
    run "$@" >"$log" 2>&1 || status=$?
    ((status == 0)) || {
        tail -n 60 "$log"
        say "failed with exit status $status: $*"
        say "(all of it: $log)"
    } >&2
    return "$status"
}
