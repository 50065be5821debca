# shellcheck shell=bash
# Programs of this folder on src/learn alone; to be sourced in bench/. They are built in $scratch, which goes in the end.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sparselin.bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What src/learn is compiled with.
read -ra flags <<<"$("${PG_CONFIG:-pg_config}" --cflags | sed 's/-W[^ ]*//g; s/-fexcess[^ ]*//')"
flags+=(-std=c++20 -O2 -ffp-contract=off -I../src/learn)

# compile FILE...: objects in $scratch, named after the files.
compile() {
    # shellcheck disable=SC2016
    printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' bash -c \
        'file=$1; shift; exec "$@" -c -o "$0/$(basename "$file" .cpp).o" "$file"' "$scratch" '{}' "${CXX:-g++}" "${flags[@]}"
}
