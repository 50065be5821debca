#!/bin/bash
# large.sh: learning from rows that are more than any cache holds, 2.6 GB of them: an epoch in random order beside one in
# order, what comes before the first epoch, and rows in a file. Takes 3 GB of disk, twice that of memory, and five minutes.
source "$(dirname "$0")/database.bash"

in_database sparselin_large /usr/bin/python3 large.py
