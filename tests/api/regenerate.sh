#!/bin/bash
# The output of src/api/gen.lua is committed: it must equal its present output.
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")'; then
    echo "skipped: no Lua 5.4 interpreter"
    exit 77
fi
exec "$lua" src/api/gen.lua --check .
