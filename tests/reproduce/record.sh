#!/usr/bin/env bash
# A run becomes a scenario that ends as the run: in Lua and YAML, short, with the places of the calls.
set -u
. "$(dirname "$0")/common.bash"

job job.lua
status "record" 3 "$NCCLSCRIPT" run -q "$work/job.lua" --record "$work/r.lua"
expect "record" "$work/err" '^ncclscript: .*/r\.lua: [0-9]+ lines; its run ends as the record shows: hang: skipped-call, rank 5$'
expect "record" "$work/r.lua" '^-- Written by ncclscript from .*job\.lua\.$'
expect "record" "$work/r.lua" '^-- Invented: the buffers and their contents\. Large counts are reduced; a larger count stays larger'
expect "record" "$work/r.lua" 'outcome = \{ hang = \{ culprit = 5, why = "skipped-call" \} \}'
expect "record" "$work/r.lua" '^local tp = world:split \{ color = rank // 4, name = "tp" \}$'
expect "record" "$work/r.lua" '^for step = 1, 20 do$'
expect "record" "$work/r.lua" '^  if not \(step == 12 and rank == 5\) then$'
expect "record" "$work/r.lua" 'op = "max", count = 16, label = "job\.lua:7"'
[ "$(wc -l <"$work/r.lua")" -le 30 ] || fail "record: more than 30 lines"
status "what was recorded" 0 "$NCCLSCRIPT" run "$work/r.lua"
status "in YAML" 3 "$NCCLSCRIPT" run -q "$work/job.lua" --record "$work/r.yaml"
expect "in YAML" "$work/r.yaml" '^outcome: \{ hang: \{ culprit: 5, why: skipped-call \} \}$'
status "what was recorded, in YAML" 0 "$NCCLSCRIPT" run "$work/r.yaml"
status "twice the same" 3 "$NCCLSCRIPT" run -q "$work/job.lua" --record "$work/r2.lua"
cmp -s "$work/r.lua" "$work/r2.lua" || fail "two records of one run differ"

# The header has the case of a matrix, the seed and the schedule of the run.
cat >"$work/cases.lua" <<'END'
scenario { ranks = 2, matrix = { k = { 1, 2 } }, params = { k = 1 } }
local x = cuda.buffer("float32", 8)
if rank < param.k then world:all_reduce(x) end
stream:sync()
END
status "a case" 3 "$NCCLSCRIPT" run -q "$work/cases.lua[k=1]" --record "$work/case.lua"
expect "a case" "$work/case.lua" '^-- Written by ncclscript from .*cases\.lua\[k=1\]\.$'
expect "a case" "$work/case.lua" 'about = "a recorded job that hangs \(skipped-call, rank 1\)"'
status "a schedule" 3 "$NCCLSCRIPT" run -q "$work/job.lua" --schedule "0" --record "$work/schedule.lua"
expect "a schedule" "$work/schedule.lua" '^-- Recorded with --schedule 0, which fits only '

# A run that passes, messages in groups, and neighbours.
cat >"$work/ring.lua" <<'END'
scenario { ranks = 6 }
local x, y = cuda.buffer("int32", 8):fill(rank), cuda.buffer("int32", 8)
for _ = 1, 3 do
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - 1) % nranks)
  end)
end
world:broadcast(x, { root = 2 })
stream:sync()
END
status "ring" 0 "$NCCLSCRIPT" run -q "$work/ring.lua" --record "$work/ring2.lua"
expect "ring" "$work/ring2.lua" 'world:send\(x, \(rank \+ 1\) % nranks'
expect "ring" "$work/ring2.lua" 'world:recv\(z, \(rank - 1\) % nranks'
expect "ring" "$work/ring2.lua" 'root = 2'
expect "ring" "$work/ring2.lua" '^  nccl\.group\(function\(\)$'
status "what was recorded of the ring" 0 "$NCCLSCRIPT" run "$work/ring2.lua"
status "the ring in YAML" 0 "$NCCLSCRIPT" run -q "$work/ring.lua" --record "$work/ring2.yaml"
status "what was recorded of the ring, in YAML" 0 "$NCCLSCRIPT" run "$work/ring2.yaml"

# Of the bugs of scenarios/bugs, one case each, so many keep verdict, class and culprits. Fewer = something broke.
same=0 all=0
for file in scenarios/bugs/*/*.lua; do
    case=$("$NCCLSCRIPT" run --list "$file" 2>/dev/null | tail -n 1)
    "$NCCLSCRIPT" run -q "$case" --record "$work/bug.lua" >/dev/null 2>"$work/err"
    all=$((all + 1))
    grep -q 'as the record shows' "$work/err" || continue
    same=$((same + 1))
    "$NCCLSCRIPT" run -q "$work/bug.lua" >/dev/null 2>&1 || fail "$file: the scenario that was written does not end as it declares"
done
echo "$same of $all bugs keep verdict, class and culprits"
[ "$same" -ge 100 ] || fail "only $same of $all bugs keep verdict, class and culprits"

# Mistakes.
status "several runs" 2 "$NCCLSCRIPT" run scenarios/basics --record "$work/x.lua"
expect "several runs" "$work/err" 'is for one run'
status "onto itself" 2 "$NCCLSCRIPT" run "$work/job.lua" --record "$work/job.lua"
expect "onto itself" "$work/err" 'would replace the scenario'
status "no such folder" 74 "$NCCLSCRIPT" run -q "$work/ring.lua" --record "$work/none/x.lua"
printf 'scenario { ranks = 2 }\nlocal x = cuda.buffer("int8", 4)\n' >"$work/empty.lua"
status "no calls" 74 "$NCCLSCRIPT" run -q "$work/empty.lua" --record "$work/x.lua"
expect "no calls" "$work/err" 'the run has no call that a record keeps'
[ ! -e "$work/x.lua" ] || fail "no calls: a file was written"

finish record
