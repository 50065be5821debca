# shellcheck shell=bash
# The ```sql blocks of a page run in their order in a database of their own. One that needs something outside,
# such as another extension, is preceded by a line <!-- not run -->. Output shown goes into blocks of no language, and is
# what psql prints unless a line <!-- varies --> precedes it, and a picture what it is said to write. Before that, whether pages and pictures hold together.
suite_docs() {
    local page before
    docs_together
    before=${#results[@]}
    for page in README.md docs/*.md; do
        [[ ! -e $page ]] || docs_page "$page"
    done
    ((${#results[@]} > before)) || record docs 0 1
}

docs_together() {
    local log=build/test/docs-together.log status=0 picture
    awk -f test/pages.awk README.md CHANGELOG.md demo/README.md docs/*.md >"$log" 2>&1 || status=$?
    for picture in docs/*.svg; do
        psql -XAtq >>"$log" 2>&1 <<EOF || status=$?
\set picture \`cat $picture\`
SELECT CASE WHEN xml_is_well_formed_document(:'picture') THEN 'ok' ELSE 'not ok' END || ' $picture';
EOF
    done
    grep -A 30 '^not ok' "$log" | cut -c 1-200 || true
    count_tap 'docs (together)' "$status" "$log"
}

docs_page() {
    local page=$1 name log script written picture blocks status=0
    name=$(basename "$page" .md)
    log=build/test/docs-$name.log
    script=build/test/docs-$name.sql
    written=build/test/docs-$name.written
    awk -v page="$page" -v "written=$written" -f test/sql_blocks.awk "$page" >"$script"
    blocks=$(count '^\\echo ok ' "$script")
    ((blocks)) || return 0
    rm -rf "$written"
    mkdir -p "$written"
    # Texts are taken apart as where readers are, most of whom have letters beyond ASCII.
    psql -Xqc "CREATE DATABASE \"docs_$name\" LOCALE 'C.UTF-8' TEMPLATE template0" -c "ALTER DATABASE \"docs_$name\" SET statement_timeout = '2min'"
    grep -qi '^ *CREATE EXTENSION sparselin' "$script" || psql -Xqd "docs_$name" -c 'CREATE EXTENSION sparselin'
    run psql -X -q -v ON_ERROR_STOP=1 -d "docs_$name" -f "$script" >"$log" 2>&1 || status=$?
    ((status == 0)) || {
        say "after this block of $page:"
        tail -n 12 "$log"
    }
    # What readers who follow the page would see, and wonder about.
    if grep -E ' (NOTICE|WARNING): ' "$log" | grep -v 'already exists, skipping'; then
        say "in $page, which says nothing of it"
        status=1
    fi
    awk -v page="$page" -f test/shown_outputs.awk "$log" "$page" >"$log.shown"
    for picture in docs/*.svg; do
        picture=$(basename "$picture")
        grep -q "/$picture\$" "$script" || continue
        if cmp "$written/$picture" "docs/$picture" >&2; then echo "ok shown docs/$picture"; else echo "not ok shown docs/$picture"; fi
    done >>"$log.shown"
    grep -A 30 '^not ok' "$log.shown" | cut -c 1-200 || true
    cat "$log.shown" >>"$log"
    blocks=$((blocks + $(grep -c '^\(not \)\?ok' "$log.shown" || true)))
    # Blocks after the one that fails have not been run: failed too.
    count_tap "docs ($name)" "$status" "$log" "$blocks"
}
