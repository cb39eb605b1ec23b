#!/usr/bin/env bash
# What a trial of explanations has budgets for, and that --prove lifts them: the calls of the run, the costlier
# explanations once a cheaper one passes, the rounds of a repair.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
here=$PWD/tests
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

check() { # WHAT WANT JQ RUN...: what the report of the run has
    local what=$1 want=$2 filter=$3 got
    shift 3
    got=$("$program" run --no-times --format json "$@" 2>/dev/null </dev/null | jq -rc "$filter" 2>&1)
    [[ $got == "$want" ]] && return
    printf '%s:\n  wanted  %s\n  got     %s\n' "$what" "$want" "$got"
    failed=$((failed + 1))
}

cat >long.lua <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 4):fill(1)
for i = 1, 100001 do stream:query() end
if rank == 0 then world:all_reduce(x) end
stream:sync()
S
tried='[.findings[0].tried, .findings[0].alternatives[0].tried, [.trials[].verdict]]'
check "a long run is not made again" '[null,null,[]]' "$tried" long.lua
check "a long run is made again where that is asked for" \
    '["with this one call inserted on rank 1 the run passes","with this one call left out on rank 0 the run passes",["pass","pass"]]' \
    "$tried" --prove long.lua

cat >rounds.lua <<'S'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 128):fill(1)
for step = 1, 81 do
    if step % 3 ~= rank then world:all_reduce(x:slice(1, step)) end
end
stream:sync()
S
rounds='[.repair.repaired, (.repair.rounds | length > 48)]'
check "a repair of many rounds is given up" '[false,false]' "$rounds" --repair rounds.lua
check "a repair of many rounds is made where that is asked for" '[true,true]' "$rounds" --repair --prove rounds.lua
check "a finding whose edits are not enough says so" \
    'with this one argument changed on rank 1 the run still hangs' '.findings[0].tried' rounds.lua

# What is tried beside the cause is listed, and changes nothing of what is found.
same='del(.trials, .repair)'
for file in "$here"/hangs/cases/*.lua; do
    echo "$file"
done | head -n 60 >files
mapfile -t files <files
"$program" run --no-times --format json "${files[@]}" 2>/dev/null </dev/null | jq -c "$same" >plain
"$program" run --no-times --prove --format json "${files[@]}" 2>/dev/null </dev/null >proven
jq -c "$same" proven | diff plain - >differ || { echo "--prove finds something else:"; head -n 4 differ; failed=$((failed + 1)); }
[[ $(jq -s 'map(.trials | length) | max' proven) -gt 2 ]] || { echo "nothing more is tried"; failed=$((failed + 1)); }

# In the text each of them is followed by what came of it.
"$program" run --prove long.lua 2>&1 </dev/null | sed -n '/^  proof/,$p' >text
diff text - <<'S' || failed=$((failed + 1))
  proof 2 explanations tried on the run, not on the file
    + rank 1: insert AllReduce float32 x 4 sum of line 4, its only call there
    then  it passes
    - rank 0: leave out call 1, AllReduce float32 x 4 sum (line 4)
    then  it passes
S

# Two calls change places only in a run that comes to both. Else the trial shows nothing: the change stays the fix.
cat >apart.lua <<'S'
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
if rank == 1 then
    rows:all_reduce(y)
    store:get("go")
end
world:all_reduce(x)
stream:sync()
if rank == 0 then
    store:set("go", 1)
end
if rank ~= 1 then
    rows:all_reduce(y)
end
stream:sync()
S
part='[.findings[0] | .rule, .certainty, .tried, .fix, .otherwise], [.trials[0] | .verdict, .partial]'
check "a change of which only a part was made is no evidence" \
    '["comm-order","likely",null,"use the communicators in one order on every rank","it could also be something else: a trial came to a part of this change only"]
["hang",true]' "$part" apart.lua
"$program" run --prove apart.lua 2>&1 </dev/null | grep -qx '    then, with only a part of this made,  hang: host-wait' ||
    { echo "a trial of a part does not say so"; failed=$((failed + 1)); }

# Of two mistakes the first one keeps its fix: its change leads to the second one.
cat >two.lua <<'S'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  world:broadcast(x, { root = (rank == 1 and step == 2) and 1 or 0 })
  if rank ~= 3 or step ~= 2 then
    world:all_reduce(x)
  end
  stream:sync()
end
S
check "the cause is one of several mistakes" \
    '["root-mismatch","likely",true,"it could also be something else: with this change the run hangs elsewhere","with this one argument changed on rank 1 other ranks go on, and the run hangs elsewhere: there may be another mistake"]' \
    '[.findings[0] | .rule, .certainty, (.fix != null), .otherwise, .tried]' two.lua

# A script that may have effects outside is not run again.
check "a script with effects is run once" '[null,null,[]]' "$tried" --unsafe --prove long.lua
"$program" run --driver nccl --prove long.lua >text 2>&1 </dev/null
grep -q -- '--prove is for --driver sim' text || { echo "on real hardware:"; cat text; failed=$((failed + 1)); }
echo "$failed failed"
((failed == 0))
