#!/usr/bin/env bash
# Failing scenarios become small and fail the same way.
set -u
. "$(dirname "$0")/common.bash"

job job.lua
status "shrink" 0 "$NCCLSCRIPT" shrink "$work/job.lua" -o "$work/s.lua"
expect "shrink" "$work/err" '^ncclscript shrink: 8 ranks, [0-9]+ calls became [23] ranks, [1-4] calls? in [0-9]+ trials$'
expect "shrink" "$work/s.lua" '^-- Shrunk by ncclscript from .*job\.lua: 8 ranks, [0-9]+ calls, to [23] ranks, [1-4] calls?\.$'
expect "shrink" "$work/s.lua" 'why = "skipped-call"'
expect "shrink" "$work/s.lua" 'label = "job\.lua:'
status "what is left" 0 "$NCCLSCRIPT" run "$work/s.lua"
status "shrink again" 0 "$NCCLSCRIPT" shrink "$work/job.lua" -o "$work/s2.lua"
cmp -s "$work/s.lua" "$work/s2.lua" || fail "shrink is not deterministic"
status "to standard output" 0 "$NCCLSCRIPT" shrink -q "$work/job.lua"
cmp -s "$work/s.lua" "$work/out" || fail "standard output differs from the file"
[ ! -s "$work/err" ] || fail "-q prints something"
status "to YAML" 0 "$NCCLSCRIPT" shrink "$work/job.lua" -o "$work/s.yaml"
status "what is left, in YAML" 0 "$NCCLSCRIPT" run "$work/s.yaml"
status "what is left is small" 0 "$NCCLSCRIPT" shrink "$work/s.lua" -o "$work/s3.lua"
status "a file that is there" 2 "$NCCLSCRIPT" shrink "$work/job.lua" -o "$work/s3.lua"
expect "a file that is there" "$work/err" 'error: exists already$'
expect "a file that is there" "$work/err" 'hint: --force replaces it$'
status "a budget" 0 "$NCCLSCRIPT" shrink --budget 1ns "$work/job.lua" -o "$work/s4.lua"
expect "a budget" "$work/err" 'the time of --budget is used up$'
status "what is left after the budget" 0 "$NCCLSCRIPT" run "$work/s4.lua"

# Devices are left out where the default serves. The number stays in a record whose ranks share hosts in another way.
cat >"$work/hosts.lua" <<'END'
scenario { ranks = 4, devices = 1 }
local x = cuda.buffer("float32", 8)
if rank ~= 2 then world:all_reduce(x) end
stream:sync()
END
status "devices" 0 "$NCCLSCRIPT" shrink "$work/hosts.lua" -o "$work/hosts.small.lua"
! grep -q devices "$work/hosts.small.lua" || fail "devices: they are not left out"
status "devices in a record" 3 "$NCCLSCRIPT" run -q "$work/hosts.lua" --record "$work/hosts.made.lua"
expect "devices in a record" "$work/hosts.made.lua" '^scenario \{ ranks = 4, devices = 1, '
expect "devices in a record" "$work/hosts.made.lua" '^-- devices: as many ranks share a host as in the run'

# What matters stays: two communicators in two orders need both.
cat >"$work/orders.lua" <<'END'
scenario { ranks = 8 }
local x = cuda.buffer("float32", 64)
local a = world:split { color = 0, name = "a" }
local b = world:split { color = 0, name = "b" }
for step = 1, 6 do
  if step == 4 and rank == 3 then
    b:all_reduce(x)
    a:all_reduce(x)
  else
    a:all_reduce(x)
    b:all_reduce(x)
  end
  world:all_gather(x)
end
stream:sync()
END
status "two orders" 0 "$NCCLSCRIPT" shrink "$work/orders.lua" -o "$work/o.lua"
expect "two orders" "$work/o.lua" 'why = "comm-order"'
expect "two orders" "$work/err" 'became [23] ranks, [2-4] calls'
status "what is left of two orders" 0 "$NCCLSCRIPT" run "$work/o.lua"

# A ring and a pipeline stay one when they get shorter: the messages go past the ranks that are left out.
for peers in '(rank + 1) % nranks, (rank - 1) % nranks' 'rank < nranks - 1 and rank + 1, rank > 0 and rank - 1'; do
    cat >"$work/line.lua" <<END
scenario { ranks = 64 }
local x = cuda.buffer("float32", 64)
local to, from = $peers
for _ = 1, 100 do
  world:all_reduce(x)
end
if to then world:send(x, to) end
if from then world:recv(x, from) end
if rank == nranks - 1 then world:recv(x, 0) end
stream:sync()
END
    status "messages $peers" 0 "$NCCLSCRIPT" shrink "$work/line.lua" -o "$work/l.lua" --force
    expect "messages $peers" "$work/err" 'became 2 ranks, [1-3] calls?'
    status "what is left of messages $peers" 0 "$NCCLSCRIPT" run "$work/l.lua"
done

# The bugs of the gallery: none grows, and each that is written ends as it declares.
for file in scenarios/bugs/{participants,order,p2p,communicators}/*.lua; do
    "$NCCLSCRIPT" shrink "$file" -o "$work/bug.yaml" --force >/dev/null 2>&1 &&
        { "$NCCLSCRIPT" run -q "$work/bug.yaml" >/dev/null 2>&1 || fail "$file: what is left in YAML does not end as it declares"; }
    "$NCCLSCRIPT" shrink "$file" -o "$work/bug.lua" --force >/dev/null 2>"$work/err" || continue
    read -r ranks calls less fewer < <(sed -nE \
        's/.*shrink: ([0-9]+) ranks?, ([0-9]+) calls? became ([0-9]+) ranks?, ([0-9]+) calls?.*/\1 \2 \3 \4/p' "$work/err")
    [ "$less" -le "$ranks" ] && [ "$fewer" -le "$calls" ] || fail "$file: it has grown"
    "$NCCLSCRIPT" run -q "$work/bug.lua" >/dev/null 2>&1 || fail "$file: what is left does not end as it declares"
    shrunk=$((${shrunk:-0} + 1))
done
[ "${shrunk:-0}" -ge 30 ] || fail "only ${shrunk:-0} bugs were shrunk"

# One line of Lua may make calls on several communicators; in YAML they are several steps with the same cause.
cat >"$work/one_line.lua" <<'END'
scenario { ranks = 8 }
local x = cuda.buffer("float32", 8)
local tp = world:split { color = rank // 2, name = "tp" }
local function go(c) c:all_reduce(x) end
for i = 1, 2 do go(rank == 3 and i == 1 and world or tp) end
stream:sync()
END
status "one line in Lua" 0 "$NCCLSCRIPT" shrink "$work/one_line.lua" -o "$work/one.lua"
status "what is left of one line" 0 "$NCCLSCRIPT" run "$work/one.lua"
expect "old numbers" "$work/one.lua" '^-- Rank 2 was rank 3\.$'
status "one line in YAML" 0 "$NCCLSCRIPT" shrink "$work/one_line.lua" -o "$work/one.yaml"
status "what is left in YAML" 0 "$NCCLSCRIPT" run "$work/one.yaml"
expect "one line in YAML" "$work/one.yaml" 'culprit: 2, why: wrong-comm'

# A matrix: the case that ran has a name.
cat >"$work/matrix.lua" <<'END'
scenario { ranks = 2, params = { k = "a" }, matrix = { ranks = { 2, 8 }, k = { "a", "b", "c" } } }
local x = cuda.buffer("float32", 8):fill(0)
if param.k ~= "c" or rank ~= 1 then world:all_reduce(x) end
stream:sync()
END
status "a matrix" 1 "$NCCLSCRIPT" shrink "$work/matrix.lua"
expect "a matrix" "$work/err" 'passes with ranks=2,k=a: there is nothing to shrink$'
expect "a matrix" "$work/err" "hint: .*matrix\.lua\[ranks=8,k=c\]"
status "a case of the matrix" 0 "$NCCLSCRIPT" shrink -q "$work/matrix.lua[ranks=8,k=c]"

# Scenarios that it refuses.
status "one that passes" 1 "$NCCLSCRIPT" shrink scenarios/basics/ring.lua
expect "one that passes" "$work/err" 'passes: there is nothing to shrink$'
status "one that depends on data" 2 "$NCCLSCRIPT" shrink -n 4 scenarios/bugs/order/swapped_buffers.lua
expect "one that depends on data" "$work/err" 'cannot be shrunk'
status "no such file" 2 "$NCCLSCRIPT" shrink "$work/none.lua"
status "no file" 2 "$NCCLSCRIPT" shrink
status "two files" 2 "$NCCLSCRIPT" shrink "$work/job.lua" "$work/orders.lua"
printf 'scenario { ranks = 2 }\nworld:all_redcue(1)\n' >"$work/wrong.lua"
status "a mistake" 2 "$NCCLSCRIPT" shrink "$work/wrong.lua"

finish shrink
