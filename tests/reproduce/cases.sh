#!/usr/bin/env bash
# `shrink` takes a case of a matrix by the name that `run` prints.
set -u
. "$(dirname "$0")/common.bash"

cat >"$work/matrix.lua" <<'EOF'
scenario { ranks = 4, params = { odd = 1, step = 2 }, matrix = { odd = { 1, 3 }, step = { 2, 4 } } }
local x = cuda.buffer("float32", 16):fill(0)
for step = 1, 6 do
    if not (rank == param.odd and step == param.step) then world:all_reduce(x, { label = "step " .. step }) end
end
stream:sync()
EOF
mapfile -t names < <("$NCCLSCRIPT" run --list "$work/matrix.lua")
[ "${#names[@]}" -eq 4 ] || fail "the matrix has ${#names[@]} cases, not 4"
status "a case" 0 "$NCCLSCRIPT" shrink -q "$work/matrix.lua[odd=3,step=4]" -o "$work/s.lua"
expect "a case" "$work/s.lua" '^-- Shrunk by ncclscript from .*matrix\.lua\[odd=3,step=4\]: 4 ranks, 6 calls, to 2 ranks, 1 call\.$'
status "what is left" 0 "$NCCLSCRIPT" run "$work/s.lua"
for name in "${names[@]}"; do
    status "$name" 0 "$NCCLSCRIPT" shrink -q "$name"
done
status "a part of a name" 2 "$NCCLSCRIPT" shrink -q "$work/matrix.lua[odd=3]"
expect "a part of a name" "$work/err" '2 cases have this name, and shrink takes one$'
expect "a part of a name" "$work/err" '`run --list` shows their whole names; the first is `.*matrix\.lua\[odd=3,step=2\]`$'
status "no such case" 2 "$NCCLSCRIPT" shrink -q "$work/matrix.lua[odd=5,step=2]"
expect "no such case" "$work/err" 'no such case'
status "no such file" 2 "$NCCLSCRIPT" shrink -q "$work/none.lua[odd=5]"
status "onto itself" 2 "$NCCLSCRIPT" shrink -q "$work/matrix.lua[odd=3,step=4]" -o "$work/matrix.lua" --force
cp "$work/matrix.lua" "$work/a[b].lua"
status "a file with brackets" 0 "$NCCLSCRIPT" shrink -q --set odd=3 --set step=2 "$work/a[b].lua"

finish cases
