# Prints the ```sql blocks of a Markdown page as one psql script that says "ok" after each block, and so what psql -At -o FILE
# -c "..." is given in ```sh blocks, with the folder WRITTEN (awk -v written=WRITTEN) for files that it writes. A page whose blocks do not come in pairs of fences fails at its end.
/^ *```/ && !inside {
    inside = 1
    sql = ($0 ~ /^ *```sql *$/) && !skip
    sh = ($0 ~ /^ *```sh *$/) && !skip
    skip = 0
    if (sql) start = NR
    next
}
/^ *```/ && inside {
    if (sql) printf ";\n\\echo ok %s, line %d\n", page, start
    inside = sql = sh = 0
    next
}
sql { print }
sh && /^psql -At -o [^ ]+ -c "/ {
    of_psql = 1
    start = NR
    print "\\pset format unaligned\n\\pset tuples_only on\n\\o " written "/" $4
    sub(/^psql -At -o [^ ]+ -c "/, "")
}
of_psql {
    if (sub(/" *$/, ";")) of_psql = 0
    print
    if (!of_psql) printf "\\o\n\\pset format aligned\n\\pset tuples_only off\n\\echo ok %s, line %d\n", page, start
}
!inside && /<!-- *not run *-->/ { skip = 1; next }
!inside && NF { skip = 0 }
END { if (inside) printf "DO $$ BEGIN RAISE EXCEPTION 'a block of %s has no end, or no line of its own to begin'; END $$;\n", page }
