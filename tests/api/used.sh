#!/bin/bash
# Every function that api.lua declares is called by its name under C in a scenario or a test, and
# every method that the annotations declare is used in a scenario.
set -u
export LC_ALL=C
missing=0 functions=0 methods=0

while read -r name; do
    functions=$((functions + 1))
    grep -rqE --include='*.lua' --include='*.c' "\bC\.$name\b" scenarios tests && continue
    echo "src/api/api.lua: no scenario or test calls C.$name"
    missing=$((missing + 1))
done < <(sed -nE 's/^(nccl|cuda) \{ "([A-Za-z0-9_]+)".*/\2/p' src/api/api.lua src/api/api_cuda.lua)

while read -r owner name; do
    methods=$((methods + 1))
    [[ $name == close ]] && continue # as destroy, free and deregister
    [[ $name == dump ]] && continue # it prints, and the gallery says nothing
    grep -rqE --include='*.lua' "[:.]$name\b" scenarios && continue
    echo "lua/library/ncclscript.d.lua: no scenario uses $owner$name"
    missing=$((missing + 1))
done < <(sed -nE 's/^function ([A-Za-z_]+[.:])([A-Za-z_]+)\(.*/\1 \2/p' lua/library/ncclscript.d.lua)

echo "$functions functions, $methods methods, $missing missing"
((functions > 100 && methods > 60 && missing == 0))
