# shellcheck shell=bash
# cluster.sh: build, install, and a throw-away cluster that nobody but this script can reach.
# To be sourced after shell.sh, from the repository's root. No server but our own is ever touched.

pg() { "${PG_CONFIG:-pg_config}" "$@"; }
cores() { nproc 2>/dev/null || echo 2; }

build() { step build/log/build "Building ..." -- make -j "$(cores)" all "$@"; }

# PostgreSQL before 18 finds extensions in its own directories only, so that is where it has to go.
# install_extension [DIRECTORY]: what was built there, or here.
install_extension() {
    local lib share from=${1:-.}
    lib=$(pg --pkglibdir)
    share=$(pg --sharedir)/extension
    say "Installing into $lib and $share ..."
    mkdir -p build/log
    if [[ -w $lib && -w $share ]]; then
        make -C "$from" install >build/log/install 2>&1 || fail "make install failed; see build/log/install"
    elif command -v sudo >/dev/null; then
        # shellcheck disable=SC2024
        sudo make -C "$from" install PG_CONFIG="$(command -v "${PG_CONFIG:-pg_config}")" >build/log/install ||
            fail "sudo make install failed; see build/log/install"
    else
        fail "$lib is not ours to write and there is no sudo: please run make install as root, then this again"
    fi
}

# The server refuses to run as root.
as_server=()
choose_server_user() {
    ((EUID == 0)) || return 0
    local user=postgres
    id -u "$user" >/dev/null 2>&1 || user=nobody
    as_server=(setpriv --reuid "$(id -u "$user")" --regid "$(id -g "$user")" --init-groups --)
    chmod 711 "$scratch"
}

# make_server_dir PATH: a directory that belongs to who runs the server.
make_server_dir() {
    mkdir -m 700 "$1"
    ((EUID != 0)) || chown "${as_server[2]}:${as_server[4]}" "$1"
}

forget_pg_environment() {
    local name
    for name in "${!PG@}"; do [[ $name == PG_CONFIG ]] || unset "$name"; done
}

cluster=

# cluster_start [SETTING=VALUE...]: afterwards PGHOST and the rest lead psql to it.
cluster_start() {
    say "Starting a throw-away cluster ..."
    forget_pg_environment
    choose_server_user
    PATH=$(pg --bindir):$PATH
    cluster=$scratch/cluster
    make_server_dir "$cluster"
    on_exit cluster_stop
    local here=$PWD _
    cd "$cluster" || return
    run "${as_server[@]}" initdb -D data -A trust -U postgres --no-locale -E UTF8 --no-sync >initdb.log 2>&1 ||
        fail "initdb: $(tail -n 5 initdb.log)"
    {
        printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$cluster'" 'port = 5432' \
            'fsync = off' 'synchronous_commit = off' 'max_wal_size = 4GB'
        ((!$#)) || printf '%s\n' "$@"
    } >>data/postgresql.conf
    setsid "${as_server[@]}" postgres -D data </dev/null >server.log 2>&1 &
    server=$!
    cd "$here" || return
    export PGHOST=$cluster PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
    for _ in {1..600}; do
        pg_isready -q && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    fail "the server did not start: $(tail -n 5 "$cluster/server.log")"
}

cluster_stop() {
    [[ -n $server ]] || return 0
    cd "$cluster" || return
    "${as_server[@]}" pg_ctl -D data stop -s -m fast -t 15 || "${as_server[@]}" pg_ctl -D data stop -s -m immediate ||
        kill -QUIT "$server"
    wait "$server"
    cd /
    server=
} >/dev/null 2>&1

# A crash restarts the server behind everybody's back; its log remembers.
cluster_crashed() { grep -E 'was terminated by signal|PANIC: ' "$cluster/server.log"; }
