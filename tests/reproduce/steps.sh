#!/usr/bin/env bash
# What a run ends in besides calls with data is written too: keys, barriers, events, signals, calls that were refused, calls that
# make communicators.
set -u
. "$(dirname "$0")/common.bash"

# kept NAME STATUS ENDING PATTERN: the scenario in standard input is recorded, in Lua and YAML, and ends as it did.
kept() {
    local ending
    cat >"$work/$1.lua"
    for ending in lua yaml; do
        status "$1, $ending" "$2" "$NCCLSCRIPT" run -q "$work/$1.lua" --record "$work/$1.made.$ending"
        expect "$1, $ending" "$work/err" "its run ends as the record shows: $3\$"
        status "$1, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/$1.made.$ending"
        status "$1, $ending: check" 0 "$NCCLSCRIPT" check "$work/$1.made.$ending"
    done
    expect "$1" "$work/$1.made.lua" "$4"
}

kept key 3 'hang: host-wait, rank 0' 'store:get\("go\\"\\\\ on"\)' <<'END2'
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(0)
world:all_reduce(x)
if rank == 2 then store:set("go", true) end
if rank == 0 then store:get("go\"\\ on") end
world:all_reduce(x)
stream:sync()
END2
kept barrier 3 'hang: host-wait, rank 2' '^ *barrier\(\)$' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(0)
local pair = world:split { color = rank // 2, name = "pair" }
for step = 1, 3 do
  if not (rank == 2 and step == 2) then barrier() end
  pair:all_reduce(x)
  stream:sync()
end
END2
kept part_of_ranks 3 'hang: host-wait, rank 3' 'barrier\(\{ ranks = \{ 1, 2, 3 \} \}\)' <<'END2'
scenario { ranks = 4 }
if rank == 1 or rank == 2 then barrier { ranks = { 1, 2, 3 } } end
END2
kept events 3 'hang: comm-order, rank 1' '^ *s2:wait\(e1\)$' <<'END2'
scenario { ranks = 4 }
local a, b = world:split { color = 0, name = "aa" }, world:split { color = 0, name = "bb" }
local sa, sb = cuda.stream(), cuda.stream()
local x = cuda.buffer("float32", 16):fill(0)
for step = 1, 4 do
  local e = cuda.event()
  local first, second, s1, s2 = a, b, sa, sb
  if step == 3 and rank == 1 then first, second, s1, s2 = b, a, sb, sa end
  first:all_reduce(x, { stream = s1 })
  s2:wait(e:record(s1))
  second:all_reduce(x, { stream = s2 })
  s1:wait(e:record(s2))
end
cuda.sync()
END2
[ "$(grep -c 'cuda.event()' "$work/events.made.lua")" -eq 1 ] || fail "events: each round has events of its own"
kept signals 3 'hang: signal-missing, rank 1' 'world:wait_signal\(\(rank - 1\) % nranks\)' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:signal((rank + 1) % nranks)
  world:wait_signal((rank - 1) % nranks)
  if rank == 1 and step == 2 then world:wait_signal((rank - 1) % nranks) end
  world:all_reduce(x)
end
stream:sync()
END2
kept puts 3 'hang: signal-missing, rank 0' 'written as signals: the data that puts move are not kept' <<'END2'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 64, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })
if rank == 0 then
  world:put_signal(x:part(0, 2), 1, win, { first = 33 })
else
  world:wait_signal(0, { op_cnt = 2 })
end
stream:sync()
END2
kept refused 3 'hang: error-path, rank 3' 'C\.ncclBroadcast\(.*, 16, 7, 4, world, stream\)' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
C.ncclBroadcast(x, x, #x, C.ncclFloat32, rank == 3 and nranks or 0, world, stream)
stream:sync()
END2
kept refused_in_a_group 3 'hang: error-path, rank 1' 'C\.ncclGroupStart\(\)' <<'END2'
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
C.ncclBroadcast(y, y, #y, C.ncclFloat32, rank == 1 and nranks or 0, world, stream)
C.ncclGroupEnd()
stream:sync()
END2
kept open_group 3 'hang: missing-group-end, rank 1' 'if rank ~= 1 then' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
if rank ~= 1 then C.ncclGroupEnd() end
stream:sync()
END2
kept group_of_destroys 0 'pass' '^nccl\.group\(function\(\)$' <<'END2'
scenario { ranks = 4 }
local a, b = world:split { color = 0, name = "a" }, world:split { color = 0, name = "b" }
local x = cuda.buffer("float32", 16):fill(1)
a:all_reduce(x)
b:all_reduce(x)
stream:sync()
nccl.group(function() -- ungrouped, these would wait for each other
  if rank == 1 then b:destroy() a:destroy() else a:destroy() b:destroy() end
end)
END2
kept no_memory 3 'hang: error-path, rank 3' 'pcall\(cuda\.buffer, "int8", 17592186044416\)' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
local ok = pcall(cuda.buffer, "float32", rank == 3 and 2^42 or 16)
if ok then world:all_reduce(x) end
stream:sync()
END2
kept init 3 'hang: init-missing-rank, rank 3' 'nccl\.init_rank\(nranks, store:get\("id 1"\), rank\)' <<'END2'
scenario { ranks = 4, world = false }
if rank == 0 then store:set("id", nccl.unique_id()) end
if rank ~= 3 then nccl.init_rank(nranks, store:get("id"), rank) end
END2
kept init_twice 3 'hang: init-clash, rank 3' '^  sleep\(1\)$' <<'END2'
scenario { ranks = 4, world = false }
if rank == 0 then store:set("id", nccl.unique_id()) end
if rank == 3 then sleep(1) end
nccl.init_rank(nranks, store:get("id"), rank == 3 and 2 or rank)
END2
kept split 3 'hang: skipped-call, rank 2' 'world:split \{ color = 0 \}' <<'END2'
scenario { ranks = 4 }
world:all_reduce(cuda.buffer("float32", 16):fill(1))
if rank ~= 2 then world:split { color = 0 } end
END2
kept window 3 'hang: skipped-call, rank 1' 'world:window\(cuda\.buffer' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 64, { memory = "nccl" })
if rank ~= 1 then world:window(x, { symmetric = true }) end
END2
kept illegal 4 'error: illegal-access, rank 1' 'C\.ncclAllGather\(cuda\.buffer\("int8", 1\)' <<'END2'
scenario { ranks = 4 }
local block = cuda.buffer("float32", 1024):fill(1)
local all = cuda.buffer("float32", rank == 1 and 1024 or 4096):fill(1)
C.check(C.ncclAllGather(block, all, 1024, C.ncclFloat32, world, stream))
stream:sync()
END2
kept link 3 'hang: link-cut, ranks 1, 2' '^  fault\.link \{ rank = 1, peer = 2 \}$' <<'END2'
scenario { ranks = 4, devices = 2 }
local x = cuda.buffer("float32", 1024):fill(rank)
world:all_reduce(x)
stream:sync()
fault.link { rank = 1, peer = 2 }
barrier()
world:all_reduce(x)
stream:sync()
END2
kept abort 3 'hang: abort-one-rank, rank 3' 'stream:delay\(60\)' <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 3 then stream:delay(60) end
world:all_reduce(x)
if rank == 3 then
  sleep(1)
  world:abort()
else
  stream:sync()
end
END2

# What one rank does last comes before or behind what only the others do last, whichever ends as the record shows.
kept a_round_fewer 3 'hang: skipped-call, rank 2' 'world:broadcast' <<'END2'
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(0), cuda.buffer("int32", 4):fill(0)
for step = 1, (rank == 2 and 2 or 3) do
  world:all_reduce(x)
  world:reduce(y)
  stream:sync()
end
world:broadcast(y)
stream:sync()
END2
kept a_call_more 3 'hang: extra-call, rank 2' 'world:broadcast' <<'END2'
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(0), cuda.buffer("int32", 4):fill(0)
for step = 1, 3 do
  world:all_reduce(x)
  if rank == 2 and step == 2 then world:broadcast(y) end
  world:reduce(y)
  stream:sync()
end
END2

# A process with several devices: each device is a rank.
kept devices 3 'hang: skipped-call, rank 2' 'scenario \{ ranks = 3' <<'END2'
scenario { ranks = 1, world = false, devices = 3 }
local comms, threads = nccl.init_all(3), {}
local function work(i)
  cuda.set_device(i - 1)
  local x, s = cuda.buffer("float32", 8):fill(1), cuda.stream()
  for step = 1, 2 do
    if i < 3 or step < 2 then comms[i]:all_reduce(x, { stream = s }) end
    comms[i]:broadcast(x, { stream = s })
    s:sync()
  end
end
for i = 1, 3 do threads[i] = spawn(work, i) end
for i = 1, 3 do threads[i]:join() end
END2

# An ending that the scenario cannot declare is not declared.
cat >"$work/devices.lua" <<'END2'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
for r = 0, nranks - 1 do fault.kill { rank = r, func = "cudaFree" } end
world:all_reduce(x)
stream:sync()
x:free()
END2
status "nobody is left" 6 "$NCCLSCRIPT" run -q "$work/devices.lua" --record "$work/lost.lua"
status "nobody is left: check" 0 "$NCCLSCRIPT" check "$work/lost.lua"

# What is not written is named, and nothing else is blamed.
cat >"$work/callback.lua" <<'END2'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 1024):fill(rank)
if rank == 1 then stream:callback(function() store:get("go on") end) end
world:all_reduce(x)
stream:sync()
if rank == 0 then store:set("go on", true) end
END2
status "a callback" 3 "$NCCLSCRIPT" run -q "$work/callback.lua" --record "$work/made.lua"
expect "a callback" "$work/err" 'its run passes, where the record hangs \(host-wait, rank 1\)$'
expect "a callback" "$work/err" '^ncclscript: not written: 1 call of cudaLaunchHostFunc$'
expect "a callback" "$work/made.lua" '^-- Not written: 1 call of cudaLaunchHostFunc\.$'
expect "a callback" "$work/made.lua" 'about = "a recorded job that hangs \(host-wait, rank 1\)"'
status "a callback: shrink" 2 "$NCCLSCRIPT" shrink "$work/callback.lua"
expect "a callback: shrink" "$work/err" 'hint: shrink does not keep: 1 call of cudaLaunchHostFunc$'
status "data" 0 "$NCCLSCRIPT" run -q "scenarios/bugs/order/swapped_buffers.lua[ranks=8,dtype=float32,odd=2]" --record "$work/made.lua"
expect "data" "$work/err" 'not written: the contents of buffers$'

finish steps
