# shellcheck shell=bash
source test/try_machines.sh

suite_versions() { try_machines versions; }
