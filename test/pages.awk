# awk -f pages.awk PAGE...: whether pages hold together, as tests: every link of theirs leads to a file that is there and to a
# heading of it; a page says what it is for before anything else, and has a table of contents if it is long; a picture has a
# text for those who do not see it; what bench/run is told to run is there, and in the contents of the page of benchmarks each
# section has it. Give all pages that links lead to.
function slug(heading) {
    gsub(/`/, "", heading)
    heading = tolower(heading)
    gsub(/\[|\]\([^)]*\)/, "", heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
# The path from where awk runs, of a link in a page.
function path_of(page, target,    dir) {
    dir = page
    if (!sub(/\/[^\/]*$/, "", dir)) dir = "."
    target = dir "/" target
    while (sub(/[^\/.]+\/\.\.\//, "", target));
    sub(/^(\.\/)+/, "", target)
    return target
}
function wrong(page, what) { faults[page] = faults[page] "\n# " what }

FNR == 1 {
    pages[++count_of_pages] = FILENAME
    fenced = 0
    headings = 0
    begun = 0
}
{ lines[FILENAME] = FNR }
/^ *```/ { fenced = !fenced }
fenced || /^ *```/ {
    if (headings == 1 && !begun++) wrong(FILENAME, "begins with code, and not with what it is for")
    next
}
/^#+ / {
    ++headings
    text = $0
    sub(/^#+ /, "", text)
    name = slug(text)
    anchors[FILENAME "#" name (seen[FILENAME, name] ? "-" seen[FILENAME, name] : "")] = 1
    ++seen[FILENAME, name]
    next
}
headings == 1 && NF && !begun++ && /^(\||[-*] |!|<)/ { wrong(FILENAME, "begins with " $1 ", and not with what it is for") }
# A contents is a list of links within the page, before its first section.
headings == 1 && /^ *- \[[^]]*\]\(#/ { contents[FILENAME] = 1 }
headings == 1 && /^- \[/ && FILENAME ~ /benchmarks/ && !/`bench\/run [a-z_]+`/ { wrong(FILENAME, "line " FNR ": a section without its command") }
{
    rest = $0
    while (match(rest, /bench\/run( [a-z_]+)+/)) {
        n = split(substr(rest, RSTART, RLENGTH), words, " ")
        for (i = 2; i <= n; ++i)
            if ((getline line < ("bench/" words[i] ".sh")) < 0) wrong(FILENAME, "line " FNR ": bench/run has no " words[i])
            else close("bench/" words[i] ".sh")
        rest = substr(rest, RSTART + RLENGTH)
    }
}
{
    rest = $0
    gsub(/``[^`]*``|`[^`]*`/, "`", rest)
    if (rest ~ /!\[\]\(/) wrong(FILENAME, "line " FNR ": a picture without a text")
    while (match(rest, /\]\([^) ]+\)/)) {
        link = substr(rest, RSTART + 2, RLENGTH - 3)
        if (link !~ /^[a-z]+:/) {
            ++links
            linked[links] = link
            from[links] = FILENAME
            at[links] = FNR
        }
        rest = substr(rest, RSTART + RLENGTH)
    }
}
END {
    for (i = 1; i <= links; ++i) {
        target = linked[i]
        anchor = ""
        if (p = index(target, "#")) {
            anchor = substr(target, p + 1)
            target = substr(target, 1, p - 1)
        }
        file = target == "" ? from[i] : path_of(from[i], target)
        if (!(file in lines) && (getline line < file) < 0) wrong(from[i], "line " at[i] ": there is no " file)
        else if (anchor != "" && !((file "#" anchor) in anchors))
            wrong(from[i], "line " at[i] ": there is no #" anchor " in " file)
    }
    for (i = 1; i <= count_of_pages; ++i) {
        page = pages[i]
        if (lines[page] > 300 && !contents[page]) wrong(page, "has " lines[page] " lines and no table of contents")
        print (faults[page] == "" ? "ok" : "not ok") " " page faults[page]
    }
}
