# shellcheck shell=bash
# Pages of sparselin_report, and charts on their own, in a browser, as wide as a desktop's and a phone's: no message on the
# console (the pages forbid scripts and requests, and a browser says where it had to keep one from happening), no text outside
# of its box, the numbers of plain SQL; and tidy has nothing to say. The pictures stay in build/test/browser.
suite_browser() {
    local dir=$PWD/build/test/browser log=build/test/browser.log page passed=0 failed=0 status=0
    mkdir -p "$dir"
    psql -Xqc 'CREATE DATABASE browser'
    (cd demo && run psql -Xq -v ON_ERROR_STOP=1 -v "dir=$dir" -d browser -f ../test/browser/pages.sql) >"$log" 2>&1 || status=$?
    # What the checks are for.
    sed 's|</main>|<script>document.title=1</script><p style="width:200vw">wide</p></main>|' "$dir/kept.html" >"$dir/broken.html" || status=1
    for page in two awkward several number hinge kept pictures broken; do
        browser_page "$dir/$page" 1280 >"$dir/$page.wrong" 2>>"$log"
        browser_page "$dir/$page" 390 >>"$dir/$page.wrong" 2>>"$log"
        case $page in
            broken) grep -q '^console: ' "$dir/$page.wrong" && grep -q '^wrong: the page is ' "$dir/$page.wrong" ;;
            *) [[ ! -s $dir/$page.wrong ]] ;;
        esac && passed=$((passed + 1)) || {
            failed=$((failed + 1))
            say "$page.html:"
            head -n 20 "$dir/$page.wrong"
        }
    done
    judge browser "$status" "$passed" "$failed" 8
}

# browser_page FILE WIDTH: what is wrong with FILE.html.
browser_page() {
    local file=$1 width=$2 looked="$1.looked.html"
    [[ -s $file.html ]] || echo "there is no page"
    # A style in a picture is at its place.
    tidy -quiet -errors -utf8 --fix-style-tags no "$file.html" 2>&1 | sed '/found <style> tag in <body>/d; s/^/tidy: /' || true
    chromium_at "$width" --screenshot="$file.$width.png" "file://$file.html" 2>&1 | sed -n '/CONSOLE/s/^/console: /p' || true
    # The page lets nothing run; a copy lets that which looks at it.
    {
        sed "s|default-src 'none'; style-src|script-src 'unsafe-inline'; style-src|; s|</main></body></html>||" "$file.html"
        printf '</main><script>\n%s\n</script></body></html>\n' "$(cat test/browser/look.js)"
    } >"$looked"
    # No window is as narrow as a phone's; a frame is.
    cat >"$file.$width.html" <<EOF
<!DOCTYPE html><html><body style="margin:0"><script>
addEventListener('message', event => { document.body.innerHTML = '<pre id="verdict"></pre>'; document.body.firstChild.textContent = event.data })
</script><iframe src="$(basename "$looked")" style="border:0;width:${width}px;height:5000px"></iframe></body></html>
EOF
    chromium_at 1400 --virtual-time-budget=3000 --dump-dom "file://$file.$width.html" 2>/dev/null | sed -n '/<pre id="verdict">/,$p' | browser_text >"$file.$width.seen" || true
    grep -q '^end' "$file.$width.seen" || echo "nothing was seen at $width"
    sed -n "/^wrong: /s/\$/ (at $width)/p" "$file.$width.seen"
    [[ ! -e $file.expected ]] || sed 's/^/seen: /' "$file.expected" | { grep -vxFf "$file.$width.seen" || true; } | sed 's/^seen:/not shown:/'
}

browser_text() { sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/&nbsp;/ /g'; }

chromium_at() {
    local width=$1
    shift
    timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr --disable-extensions \
        --user-data-dir="$scratch/chromium" --window-size="$width,5000" "$@"
}
