# shellcheck shell=bash
# needs.sh: what a command of this repository needs on the machine, installed where that is missing.
# To be sourced after shell.sh and cluster.sh. On Debian and its kin it installs packages, upgrades those alone that they
# depend on, makes no default cluster, starts no server, and restarts none that nobody gave up; elsewhere it lists what is
# missing and stops.

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

needs_compilers() { need clang command -v clang++; }

needs_machines() { ((EUID != 0)) || need debootstrap command -v debootstrap; }

needs_tap() {
    need perl command -v prove
    need libipc-run-perl perl -MIPC::Run -e 1
    # With a PostgreSQL of somebody's own making its test is skipped where it is missing.
    [[ -n ${PG_CONFIG:-} ]] || need postgresql-@-cron cron_present
}

needs_browser() {
    need chromium command -v chromium
    need tidy command -v tidy
    need fonts-dejavu-core fc_list_has DejaVu
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

# Debian's client package has pgxs.mk, its -server-dev package the headers.
build_files_present() { [[ -f $(pg --pgxs 2>/dev/null) && -f $(pg --includedir-server 2>/dev/null)/postgres.h ]]; }

fc_list_has() { fc-list | grep -q "$1"; }

cron_present() { [[ -f $(pg --sharedir)/extension/pg_cron.control ]]; }

server_present() { [[ -x $(pg --bindir)/initdb && -x $(pg --bindir)/postgres ]]; }

# The major version that pg_config speaks for; where there is none yet, the distribution's own.
major() {
    if pg --version >/dev/null 2>&1; then
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
    forbid_starting_servers
    spare_running_servers
    forbid_default_cluster
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l NEEDRESTART_SUSPEND=1 \
        apt-get install -y -q --no-upgrade --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}"
    take_settings_back
}

# --no-upgrade spares what is named, not what that depends on; and a server that is upgraded is restarted.
spare_running_servers() {
    local upgraded package
    upgraded=$(apt-get install -s --no-upgrade --no-install-recommends "${missing[@]}" |
        sed -nE 's/^Inst ([^ ]+) \[.*/\1/p' | tr '\n' ' ')
    [[ -n $upgraded ]] || return 0
    say "These are older than what is installed now goes with, and will be upgraded: ${upgraded% }"
    for package in $upgraded; do
        [[ $package =~ ^postgresql-([0-9]+)$ ]] || continue
        server_runs "${BASH_REMATCH[1]}" || continue
        if asks_nobody || ! confirm "A server of ${package/-/ } is running. Restart it?"; then
            fail "installing ${missing[*]} would upgrade $package, and so restart its server, which is running;" \
                "please upgrade it yourself, or stop it, and come back"
        fi
        take_settings_back
    done
}

server_runs() {
    [[ -n $("${as_root[@]}" find /proc -mindepth 2 -maxdepth 2 -name exe \
        -lname "/usr/lib/postgresql/$1/bin/postgres*" 2>/dev/null) ]]
}

# Files that hold while packages are installed, and directories that were made for them.
settings=()
setting_dirs=()

# set_for_now FILE MODE: contents as standard input. What is there already is the machine's own, and stays.
set_for_now() {
    local file=$1 dir
    [[ ! -e $file ]] || return 0
    on_exit take_settings_back
    for dir in "$(dirname "$(dirname "$file")")" "$(dirname "$file")"; do [[ -d $dir ]] || setting_dirs+=("$dir"); done
    settings+=("$file")
    "${as_root[@]}" install -D -m "$2" /dev/stdin "$file"
}

take_settings_back() {
    local i
    ((!${#settings[@]})) || "${as_root[@]}" rm -f "${settings[@]}"
    # Directories stay where packages have put something there.
    for ((i = ${#setting_dirs[@]} - 1; i >= 0; i--)); do
        "${as_root[@]}" rmdir --ignore-fail-on-non-empty "${setting_dirs[i]}" 2>/dev/null || true
    done
    settings=()
    setting_dirs=()
}

forbid_default_cluster() {
    set_for_now /etc/postgresql-common/createcluster.d/zz-sparselin-no-default-cluster.conf 644 \
        <<<'create_main_cluster = false'
}

# A package that is upgraded starts the servers that it serves, those too that somebody has stopped.
forbid_starting_servers() { set_for_now /usr/sbin/policy-rc.d 755 <<<$'#!/bin/sh\nexit 101'; }

asks_nobody() { [[ ${CI:-} == 1 || ${CI:-} == true || ! -t 0 ]]; }

confirm() {
    ! asks_nobody || return 0
    local answer
    read -r -p "$1 [Y/n] " answer
    [[ -z $answer || $answer == [yY]* ]]
}
