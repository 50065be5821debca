# shellcheck shell=bash
# debian.sh: machines to try commands on, each a Debian made by debootstrap in a directory, with processes of its own; and
# checks of them, printed as TAP. To be sourced after shell.sh, and begun with can_make_machines.

number=0
# check NAME COMMAND...: one test
check() {
    local name=$1
    shift
    number=$((number + 1))
    if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; fi
}

cannot() {
    echo "1..0 # SKIP $*"
    exit 0
}

can_make_machines() {
    ((EUID == 0)) || cannot 'only root can make machines'
    command -v debootstrap >/dev/null || cannot 'there is no debootstrap'
    unshare --mount --pid --fork true 2>/dev/null || cannot 'the kernel gives us no namespaces'
    codename=$(. /etc/os-release && [[ $ID == debian ]] && echo "$VERSION_CODENAME") || cannot 'this is not Debian'
    mirror=$(sources | awk -v release="$codename" '$3 == release && !seen++ { print $2 }') || true
    [[ -n $mirror ]] || cannot "apt-get names no source of Debian's $codename"
    mkdir -p build/test
}

# What a machine shares with this one is the network. In a namespace of its own, so that no process and no mount outlives it.
# inside ROOT SCRIPT
inside() {
    # shellcheck disable=SC2016
    run unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -c "$2"' bash "$1" "$2"
}

# The sources of this machine's own Debian.
sources() {
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep -E " $codename(-security|-updates)? main\$" | sort -u
}

# make_machine ROOT RELEASE SOURCE...: where that fails, `why` says what kept it. Not for a $(...), which no interrupt ends.
why=
make_machine() {
    local root=$1 release=$2 log=$scratch/machine.log
    run debootstrap --variant=minbase --include=make,ca-certificates "$release" "$root" "$mirror" >"$log" 2>&1 || {
        why="debootstrap: $(tail -n 1 "$log")"
        return 1
    }
    printf '%s\n' "${@:3}" >"$root/etc/apt/sources.list"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    apt-config dump | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/99network" || true
    inside "$root" 'apt-get update' >"$log" 2>&1 || {
        why="apt-get update: $(tail -n 1 "$log")"
        return 1
    }
}

# end_of LOG: as remarks, so that its tests are not counted
end_of() { tail -n 30 "$1" | sed 's/^/# /' >&2; }

# new_tree ROOT: of these sources, where a user would have it
new_tree() {
    rm -rf "$1/root/sparselin" && mkdir "$1/root/sparselin" &&
        tar -cf - --exclude=./build --exclude=./.git --exclude='*.o' --exclude='*.d' --exclude='*.so' --exclude='./sparselin--?.?.?.sql' . |
        tar -xf - -C "$1/root/sparselin"
}

# ends_well ROOT LOG COMMAND: the command, in a new tree
ends_well() {
    new_tree "$1" || return
    inside "$1" "cd ~/sparselin && $3" >"$2" 2>&1 || {
        end_of "$2"
        return 1
    }
}

all_passed() { tail -n 1 "$1" | grep -qE '^[1-9][0-9]* passed, 0 failed$'; }
