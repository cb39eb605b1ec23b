#!/usr/bin/env bash
# Makes docs/page.png, the picture of the page of README.md's first scenario, and docs/page.txt: the text that the picture
# shows, below the checksum of the picture. tests/readme/picture.sh compares both. It needs chromium.
#   docs/picture.sh --text    prints the text alone, as the program writes it now
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${NCCLSCRIPT:-build/default/ncclscript}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```lua$/ { if (++n == 1) { on = 1; next } } /^```/ { on = 0 } on' README.md >"$work/skip.lua"
(cd "$work" && "$program" run --html page.html skip.lua >/dev/null) || true

# From the title to the end of the timeline: the picture ends there, too.
text() {
    sed -nE '/^<h1>/,/^<h2>Who waits/p' "$work/page.html" | sed '/<script/,/<\/script>/d; /<noscript>/d' | sed -E '$d; s/<li>/\n/g; s/<[^>]*>//g; s/&#60;/</g; s/&#62;/>/g; s/&#34;/"/g; s/&#38;/\&/g' |
        sed '/^ *$/d'
}

if [ "${1:-}" = --text ]; then
    text
    exit
fi
chromium --headless --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --window-size=1000,1000 \
    --screenshot="$PWD/docs/page.png" "file://$work/page.html" >/dev/null 2>&1
{
    sha256sum <docs/page.png | sed 's/ .*//'
    text
} >docs/page.txt
