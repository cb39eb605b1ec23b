-- Findings: groups. A page for each rule of the diagnosis; fields: pages.lua.

group { "groups", "groups" }

class { "missing-group-end", "a group was never closed",
  what = [[
Between ncclGroupStart and ncclGroupEnd calls are only queued; nothing reaches a stream before
the outermost end. This rank came through a start without its end.]],
  why = [[
An early return, an exception, a start too many. Its calls return success and are never
launched, its stream is empty and every wait on it returns at once; the peers wait for ever.]],
  see = [[
The report names the rank, and where the group was opened. On a cluster that rank reads old
values and goes on as if all were well.]],
  repair = [[
Balance start and end on every path, early returns included. In Lua, nccl.group(fn) does it
by itself.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
if rank == 1 then
  return -- the call is queued, and stays queued
end
C.ncclGroupEnd()
stream:sync()]],
  also = "group error-path" }

class { "one-thread-no-group", "one thread drives several ranks without a group",
  what = [[
A thread makes the calls of several ranks one after the other. The first may block until the
others have called, and only this thread could do that.]],
  why = [[
ncclCommInitRank always blocks in this way; a collective may by contract, and in practice does
so when it connects for the first time.]],
  see = [[
One thread sits inside of the first call. The report names the thread's other calls that never
came to be made.]],
  repair = [[
Put the calls of all ranks of the thread between ncclGroupStart and ncclGroupEnd, or use
ncclCommInitAll to make the communicators.]],
  ends = "hang", scenario = [[
scenario { ranks = 1, world = false, needs = { gpus = 2 } }
local id = nccl.unique_id()
for r = 0, 1 do
  cuda.set_device(r)
  nccl.init_rank(2, id, r) -- waits for the second round of this loop
end]],
  also = "group init-missing-rank" }

class { "sync-inside-group", "a wait in an open group, where nothing is enqueued yet",
  what = [[
Between ncclGroupStart and ncclGroupEnd the stream is synchronised, or an event is recorded, for a
call of the same group. It covers nothing of that call.]],
  why = [[
In a group calls are only remembered. All of them go to their streams at the end of the outermost
group, and no error is returned for a wait that comes before.]],
  see = [[
The report names the wait, the call that it was meant for, and the line that uses the result.]],
  repair = [[
End the group first, then wait.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
nccl.group(function()
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, 2) -- still 1
end)]],
  also = "read-before-sync missing-group-end enqueued-inside-group" }

class { "enqueued-inside-group", "a copy or kernel put on the stream in an open group",
  what = [[
Between ncclGroupStart and ncclGroupEnd a copy, a fill or a kernel is put on the stream of a
call of the same group, and touches the memory of that call. It runs before the call.]],
  why = [[
In a group NCCL's calls are only remembered, and go to their streams at the end of the outermost
group. What CUDA is asked for goes there at once. So a copy that stands behind the all-reduce in
the program is in front of it on the stream, and so is a callback.]],
  see = [[
The report names the copy and the call. An error where a wrong result goes back to it, else a
note.]],
  repair = [[
End the group first.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local y = cuda.buffer("float32", 8)
nccl.group(function()
  world:all_reduce(x)
  y:copy_from(x, { stream = stream })
end)
stream:sync()
expect.equal(y, 2) -- still 1]],
  also = "sync-inside-group read-before-sync" }
