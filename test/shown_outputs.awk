# awk -v page=PAGE -f shown_outputs.awk LOG PAGE: whether what a page shows is what psql said. The log is that of the
# script by sql_blocks.awk: after each block of SQL a line "ok PAGE, line N". A block of no language shows some lines of
# what the last block of SQL before it printed, one after another but for the counts of rows; <!-- varies --> before it says that it is an example.
# Prints "ok shown ..." or "not ok shown ..." for each.
{ sub(/[ \t\r]+$/, "") }

FNR == NR {
    if (index($0, "ok " page ", line ") == 1) {
        printed[$NF] = so_far
        so_far = ""
    } else if ($0 !~ /^\([0-9]+ rows?\)$/) so_far = so_far $0 "\n"
    next
}

/^ *```/ && !inside {
    inside = 1
    language = $0
    sub(/^ *``` */, "", language)
    if (language == "sql" && !skip) of = FNR
    else if (language == "sql") of = 0
    shown = ""
    start = FNR
    next
}
/^ *```/ && inside {
    inside = 0
    if (language == "" && of && !varies) {
        found = index("\n" printed[of], "\n" shown)
        print (found ? "ok" : "not ok") " shown in " page ", line " start
        if (!found) print "# psql said:\n" printed[of]
    }
    skip = varies = 0
    next
}
inside { shown = shown $0 "\n"; next }
/<!-- *not run *-->/ { skip = 1; next }
/<!-- *varies *-->/ { varies = 1; next }
NF { skip = varies = 0 }
