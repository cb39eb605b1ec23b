-- Findings: several communicators. A page for each rule of the diagnosis; fields: pages.lua.

group { "communicators", "several communicators" }

class { "comm-order", "ranks use several communicators in different orders",
  what = [[
Rank 0 works on communicator X and then on Y, rank 1 on Y and then on X, each in one stream or
with a host wait in between. Each waits for the other's second call, which is behind its
first.]],
  why = [[
NCCL orders calls within a communicator only; between communicators nothing is checked. In
separate streams such a program often works as long as the GPU has room for both kernels, and
hangs on a busy day.]],
  see = [[
The report goes around the circle: who waits on which communicator, at which line.]],
  repair = [[
One order of communicators for all ranks. Any rank of the cycle can give way; which one does
not matter.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x    = cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
if rank == 0 then
  world:all_reduce(x)
  rows:all_reduce(x)
else
  rows:all_reduce(x)
  world:all_reduce(x)
end
stream:sync()]],
  also = "launch-order wrong-comm" }

class { "unordered-threads", "threads of a rank use one communicator or stream with no order between them",
  what = [[
Two threads of one rank make calls on the same communicator, or on two communicators by the same
stream, and neither has waited for the other. Which comes first is decided anew in each run.]],
  why = [[
NCCL pairs calls by their order, and a stream carries them out in order. When the threads of two
ranks come in different orders, calls are paired wrongly, or each rank waits for the other. A
communicator is for one thread at a time in any case: racing launches spoil its state.]],
  see = [[
A note, also of a run that passes: it is found by what the threads waited for (joins, the store,
barriers, the driver), not by what happened to come first. A sleep orders nothing.]],
  repair = [[
Let one thread submit for a device, or hand the turn from thread to thread in an order that is the
same on every rank.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
local other = cuda.stream()
local thread = spawn(function() world:all_reduce(y, { stream = other }) end)
world:all_reduce(x) -- after thread:join() all is well
thread:join()
cuda.sync()]],
  also = "comm-order swapped-calls launch-order" }

class { "launch-order", "ranks launch two communicators in opposite orders",
  what = [[
Nothing hung: the calls are on independent streams, and the device had room for both kernels.
Where it has not (a smaller GPU, more channels, a kernel of yours beside them), each rank's
first kernel keeps the other's second one out, and all wait.]],
  why = [[
NCCL asks for one order of communicators on all ranks, or for room for all of them.]],
  see = [[
The finding is a note of a run that passes. sim = { lanes = 1 } in scenario{} makes the devices
so narrow that the hang shows.]],
  repair = [[
One order for all ranks.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 } -- with sim = { lanes = 1 } it hangs
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local first, second = world, rows
for step = 1, 2 do -- first in one order, then rank 1 in the other
  first:all_reduce(x)
  second:all_reduce(y)
  world.stream:sync()
  rows.stream:sync()
  if rank == 1 then
    first, second, x, y = rows, world, y, x
  end
end]],
  also = "comm-order lane" }

class { "wrong-comm", "calls that were meant for each other were made on two communicators",
  what = [[
One rank passes `world`, another a communicator of the same ranks. Each side waits on its own
for the other.]],
  why = [[
A default that was not overridden, two handles in one variable, a field set on some ranks
only. NCCL pairs calls within one communicator only, and nothing compares the two.]],
  see = [[
The report shows two calls that look alike on two communicators.]],
  repair = [[
One communicator for both. If both are meant, it is a matter of order: see comm-order.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x    = cuda.buffer("float32", 8):fill(1)
local pair = world:split { color = 0, name = "pair" }
local comm = rank == 1 and world or pair
comm:all_reduce(x)
stream:sync()]],
  also = "comm-order communicator" }
