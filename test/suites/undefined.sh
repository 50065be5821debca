# shellcheck shell=bash
# sql/ once more, with a library that watches itself for undefined behaviour (UBSan): src/pg too, which the unit tests do
# not reach. The sanitizer's runtime is linked in, so that the server needs nothing preloaded, and its reports, which do not
# end the query, go to the server's log. Addresses are not watched: with libasan preloaded the server hangs.
source test/suites/regress.sh

suite_undefined() {
    local tree=build/undefined reports=build/test/undefined.reports found=0
    mkdir -p "$tree"
    tar -cf - --exclude='*.o' --exclude='*.d' Makefile sparselin.control install src | tar -xf - -C "$tree"
    step build/log/undefined "Building for undefined behaviour ..." -- \
        make -C "$tree" -j "$(cores)" all WARNINGS=-Werror SANITIZE='-O1 -fsanitize=undefined -static-libubsan' || {
        record 'undefined (build)' 0 1
        return 0
    }
    grep -q __ubsan_handle "$tree/sparselin.so" || {
        record 'undefined (nothing is watched)' 0 1
        return 0
    }
    on_exit install_plain
    install_extension "$tree"
    regress undefined
    install_plain
    grep -oE '[^ ]+:[0-9]+:[0-9]+: runtime error: .*' "$cluster/server.log" | sort | uniq -c >"$reports" || found=$?
    ((found)) || cat "$reports"
    record 'undefined (reports)' "$((found ? 1 : 0))" "$(wc -l <"$reports")"
}

# Whatever happens, what stays installed is what everybody else is to have.
install_plain() { (install_extension) || say 'the library that is installed is the one that watches itself'; }
