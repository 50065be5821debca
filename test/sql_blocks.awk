# Prints the ```sql blocks of a Markdown page as one psql script that says "ok" after each block. A page whose blocks do not
# come in pairs of fences fails at its end.
/^ *```/ && !inside {
    inside = 1
    sql = ($0 ~ /^ *```sql *$/) && !skip
    skip = 0
    if (sql) start = NR
    next
}
/^ *```/ && inside {
    if (sql) printf ";\n\\echo ok %s, line %d\n", page, start
    inside = sql = 0
    next
}
sql { print }
!inside && /<!-- *not run *-->/ { skip = 1; next }
!inside && NF { skip = 0 }
END { if (inside) printf "DO $$ BEGIN RAISE EXCEPTION 'a block of %s has no end, or no line of its own to begin'; END $$;\n", page }
