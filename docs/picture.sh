#!/usr/bin/env bash
# Makes docs/page.png, the picture of a page, from the first scenario of README.md. It needs chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${NCCLSCRIPT:-build/default/ncclscript}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```lua$/ { if (++n == 1) { on = 1; next } } /^```/ { on = 0 } on' README.md >"$work/skip.lua"
(cd "$work" && "$OLDPWD/$program" run --html page.html skip.lua >/dev/null) || true
chromium --headless --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --window-size=1000,1000 \
    --screenshot="$PWD/docs/page.png" "file://$work/page.html" >/dev/null 2>&1
