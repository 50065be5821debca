# shellcheck shell=bash
# The sources as others read them: no file looks up into a room above its own, clang can compile them too, and nothing is
# defined twice in two ways, which compilers do not see, as they look at one file at a time: neither a type (-Wodr), nor a
# function that is inline in one file and not in another.
suite_compilers() {
    local objects=$PWD/build/linked flags status=0
    test/rooms || status=$?
    judge 'compilers (rooms)' "$status" "$((status ? 0 : 1))" 0
    status=0
    flags=(-std=c++20 -fPIC -ffp-contract=off -Isrc -Isrc/learn -Isrc/pg -D_GNU_SOURCE -isystem "$(pg --includedir-server)")
    local sources=(src/*/*/*.cpp)
    each_source clang clang++ -fsyntax-only -Wall -Wextra -Werror "${flags[@]}"
    rm -rf "$objects" && mkdir -p "$objects"
    each_source linked "${CXX:-g++}" -c -flto -ffat-lto-objects "${flags[@]}" -o "$objects/@.o"
    step build/log/odr 'Linking them as one ...' -- \
        "${CXX:-g++}" -shared -flto="$(cores)" -Wodr -Werror -o "$objects/all.so" "$objects"/*.o || status=$?
    judge 'compilers (types)' "$status" "$((status ? 0 : 1))" 0
    defined_in_two_ways "$objects"/*.o >build/log/defined_in_two_ways
    cat build/log/defined_in_two_ways
    record 'compilers (functions)' "$([[ -s build/log/defined_in_two_ways ]] && echo 0 || echo 1)" \
        "$(wc -l <build/log/defined_in_two_ways)"
    sources=(bench/*.cpp)
    each_source bench "${CXX:-g++}" -fsyntax-only -std=c++20 -Wall -Wextra -Werror -Isrc/learn -Itest/unit
}

# each_source NAME COMMAND...: with each of `sources`; @ in the command is the file's name without slashes.
each_source() {
    local name=$1 status=0
    shift
    # shellcheck disable=SC2016
    step "build/log/$name" "Compiling ($name) ..." -- xargs -a <(printf '%s\n' "${sources[@]}") -P "$(cores)" -I '{}' \
        bash -c 'file=$1; shift; exec "${@//@/${file//\//_}}" "$file"' bash '{}' "$@" || status=$?
    judge "compilers ($name)" "$status" "$((status ? 0 : ${#sources[@]}))" 0
}

# Functions that are strong in one object, as those of a .cpp file, and weak in another, as those of a header.
defined_in_two_ways() {
    nm --defined-only "$@" | awk '
        NF == 3 && $2 ~ /^[WV]$/ { weak[$3] }
        NF == 3 && $2 ~ /^[TDBR]$/ { strong[$3] }
        END { for (name in weak) if (name in strong) print "defined in two ways: " name }' | c++filt
}
