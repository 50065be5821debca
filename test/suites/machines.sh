# shellcheck shell=bash
source test/try_machines.sh

suite_machines() { try_machines machines; }
