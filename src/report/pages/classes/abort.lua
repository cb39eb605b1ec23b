-- Findings: abort. A page for each rule of the diagnosis; fields: pages.lua.

group { "abort", "abort" }

class { "abort-one-rank", "one rank aborted a communicator, the others were not told",
  what = [[
ncclCommAbort ends the calls of the rank that makes it, and of no other. The peers wait for
that rank's part of the operation, which is never coming.]],
  why = [[
NCCL does not carry the news: their calls return no error, their streams stand.]],
  see = [[
The report names the abort and its line.]],
  repair = [[
Spread the decision outside of NCCL (a store, a socket, a signal) and abort on every rank. A
host that sits in a blocking call cannot react, so make such communicators with blocking = 0
and poll ncclCommGetAsyncError.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  world:abort()
else
  world:all_reduce(x)
  stream:sync()
end]],
  also = "rank-lost error-path early-destroy" }

class { "abort-order", "an abort waits for the work of a communicator that is not aborted yet",
  what = [[
A rank aborts one communicator and stands in that abort: behind it on the device is a call on
another communicator, which waits for a rank that is gone.]],
  why = [[
ncclCommAbort ends the calls of its own communicator and then waits for the device, which is
held by a kernel of the other one. The abort that would end that one comes after it.]],
  see = [[
The report names the abort, its line, and the call that it waits for. On a cluster: the stack of
the rank that handles the failure ends in ncclCommAbort.]],
  repair = [[
Abort first what stands first on the stream, or all of them in one group.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local rows = world:split { color = 0, name = "rows" }
local x = cuda.buffer("float32", 8):fill(1)
rows:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  fault.kill()
end
rows:all_reduce(x)
world:all_reduce(x)
world:abort() -- behind the call on rows
rows:abort()]],
  also = "child-not-aborted abort-one-rank rank-lost" }

class { "child-not-aborted", "a communicator was aborted, and ranks wait in a child of it",
  what = [[
A failure is answered with the abort of the communicator that all share, but somebody waits in a
part of it that a split, shrink or grow made.]],
  why = [[
The abort of a parent reaches a child only if the two share resources (splitShare, shrinkShare in
the parent's configuration), or while the child is being made.]],
  see = [[
The report names who aborted the parent, the child, and who waits in it.]],
  repair = [[
Keep a list of all communicators and abort every one of them, children first.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
half:all_reduce(x)
stream:sync()
if rank == 1 then
  world:abort()
  return
end
half:all_reduce(x)
stream:sync()]],
  also = "abort-order abort-one-rank" }
