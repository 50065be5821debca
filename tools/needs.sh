# shellcheck shell=bash
# needs.sh: what a command of this repository needs on the machine, installed where that is missing.
# To be sourced after shell.sh and cluster.sh. On Debian and its kin it installs packages, upgrades none of those that are
# there, makes no default cluster and touches no server; elsewhere it lists what is missing and stops.

missing=()  # Debian package names; @ stands for PostgreSQL's major version

# needs build|unit|server|tap|bench...
needs() {
    if [[ -n ${PG_CONFIG:-} ]] && ! build_files_present; then
        fail "PG_CONFIG=$PG_CONFIG names no PostgreSQL that has its build files installed"
    fi
    find_missing "$@"
    ((${#missing[@]})) || return 0
    command -v apt-get >/dev/null ||
        fail "these Debian packages, or what they contain, are missing here: ${missing[*]//@/NN}"
    install_missing
    find_missing "$@"
    ((${#missing[@]} == 0)) || fail "still missing after installing: ${missing[*]//@/$(major)}"
}

find_missing() {
    missing=()
    local purpose
    for purpose in "$@"; do "needs_$purpose"; done
}

needs_build() {
    need make command -v make
    need g++ command -v "${CXX:-g++}"
    need postgresql-server-dev-@ build_files_present
}

needs_server() { need postgresql-@ server_present; }

needs_unit() {
    need make command -v make
    need g++ command -v "${CXX:-g++}"
    need libgtest-dev have_header gtest/gtest.h
}

needs_tap() {
    need perl command -v prove
    need libipc-run-perl perl -MIPC::Run -e 1
    # With a PostgreSQL of somebody's own making its test is skipped where it is missing.
    [[ -n ${PG_CONFIG:-} ]] || need postgresql-@-cron cron_present
}

needs_bench() {
    need libbenchmark-dev have_header benchmark/benchmark.h
    need liblinear-tools command -v liblinear-train
    need python3-sklearn /usr/bin/python3 -c 'import sklearn'
}

# need PACKAGE COMMAND...: the package is missing when the command fails.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
}

have_header() { "${CXX:-g++}" -E -x c++ - <<<"#include <$1>"; }

build_files_present() { [[ -f $(pg --pgxs 2>/dev/null) ]]; }

cron_present() { [[ -f $(pg --sharedir)/extension/pg_cron.control ]]; }

server_present() { [[ -x $(pg --bindir)/initdb && -x $(pg --bindir)/postgres ]]; }

# The major version that pg_config speaks for; where there is none yet, the distribution's own.
major() {
    if build_files_present; then
        pg --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/'
    else
        apt-cache depends postgresql 2>/dev/null | sed -nE 's/.*Depends: postgresql-([0-9]+)$/\1/p' | head -n 1
    fi
}

as_root=()

install_missing() {
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "please install as root: apt-get install ${missing[*]//@/NN}"
        as_root=(sudo)
    fi
    confirm "Install these Debian packages: ${missing[*]//@/NN}?" || fail "not installed: ${missing[*]//@/NN}"
    "${as_root[@]}" apt-get update -q || say "apt-get update failed; going on with the package lists that are here"
    local version
    version=$(major)
    [[ -n $version ]] || fail "apt-get offers no PostgreSQL here; needed: ${missing[*]//@/NN}"
    missing=("${missing[@]//@/$version}")
    refuse_server_upgrade
    forbid_default_cluster
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l NEEDRESTART_SUSPEND=1 \
        apt-get install -y -q --no-upgrade --no-install-recommends "${missing[@]}"
    allow_default_cluster
}

# --no-upgrade spares what is named, not what that depends on; a server that is upgraded is restarted.
refuse_server_upgrade() {
    local upgraded
    upgraded=$(apt-get install -s --no-upgrade --no-install-recommends "${missing[@]}" |
        sed -nE 's/^Inst (postgresql-[0-9]+) \[.*/\1/p' | tr '\n' ' ')
    [[ -z $upgraded ]] || fail "installing ${missing[*]} would upgrade ${upgraded% }, and so restart its servers;" \
        "please upgrade it yourself and come back"
}

no_cluster_dir=/etc/postgresql-common/createcluster.d
no_cluster_file=$no_cluster_dir/zz-sparselin-no-default-cluster.conf
no_cluster_made=()

forbid_default_cluster() {
    local dir
    for dir in "${no_cluster_dir%/*}" "$no_cluster_dir"; do [[ -d $dir ]] || no_cluster_made+=("$dir"); done
    on_exit allow_default_cluster
    "${as_root[@]}" install -d -m 755 "${no_cluster_dir%/*}" "$no_cluster_dir"
    echo 'create_main_cluster = false' | "${as_root[@]}" tee "$no_cluster_file" >/dev/null
}

allow_default_cluster() {
    [[ -e $no_cluster_file ]] && "${as_root[@]}" rm -f "$no_cluster_file"
    # What we made goes again, unless packages have put something there.
    local i
    for ((i = ${#no_cluster_made[@]} - 1; i >= 0; i--)); do
        "${as_root[@]}" rmdir --ignore-fail-on-non-empty "${no_cluster_made[i]}" 2>/dev/null || true
    done
    no_cluster_made=()
}

confirm() {
    [[ ${CI:-} == 1 || ${CI:-} == true || ! -t 0 ]] && return
    local answer
    read -r -p "$1 [Y/n] " answer
    [[ -z $answer || $answer == [yY]* ]]
}
