# Prints the ```sql blocks of a Markdown page as one psql script that says "ok" after each block, and so what psql -At -o FILE
# -c "..." is given in ```sh blocks; the file is not written. A page whose blocks do not come in pairs of fences fails at its end.
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
sh && sub(/^psql -At -o [^ ]+ -c "/, "") { of_psql = 1; start = NR; print "\\o /dev/null" }
of_psql {
    if (sub(/" *$/, ";")) of_psql = 0
    print
    if (!of_psql) printf "\\o\n\\echo ok %s, line %d\n", page, start
}
!inside && /<!-- *not run *-->/ { skip = 1; next }
!inside && NF { skip = 0 }
END { if (inside) printf "DO $$ BEGIN RAISE EXCEPTION 'a block of %s has no end, or no line of its own to begin'; END $$;\n", page }
