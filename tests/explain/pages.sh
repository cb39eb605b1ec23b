#!/bin/bash
# What src/report/pages/pages.lua writes is committed: it must be what it would write now.
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")'; then
    echo "skipped: no Lua 5.4 interpreter"
    exit 77
fi
exec "$lua" src/report/pages/pages.lua --check .
