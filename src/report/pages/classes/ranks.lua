-- Findings: ranks and links that are lost. A page for each rule of the diagnosis; fields: pages.lua.

group { "ranks", "ranks and links that are lost" }

class { "rank-lost", "a rank is gone, the others wait for it",
  what = [[
The rank was killed, stalled or ended in the middle of its work; of a job that was recorded elsewhere
(explain trace) it left no dump while others wait for it.]],
  why = [[
Who dies by the scenario's own fault.kill is not expected to come to an end, and no failure: if all
others do, the run passes. If they wait for it, that is a hang; if faults stop every rank, nobody is
left, and the verdict is lost (exit status 6).
NCCL has no time limit. On one node nothing at all is reported; across nodes the neighbours may
see an asynchronous error, the rest sees nothing.]],
  see = [[
The report names who died, before which call, and who waits for it in what. On a cluster: the
one process that is missing, or that does not move in a debugger.]],
  repair = [[
Watch the ranks outside of NCCL, and when one is gone abort the communicator on all that are
left; ncclCommShrink makes a new one of them.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(1)
fault.kill { rank = 1, call = 2 }
world:all_reduce(x)
world:all_reduce(x)
stream:sync()]],
  also = "abort-one-rank link-cut ncclRemoteError" }

class { "link-cut", "the connection between two ranks is gone",
  what = [[
A cable, a switch, a port: what one rank sends to the other does not arrive any more. All calls
that go over the link stand, on every rank that takes part.]],
  why = [[
NCCL tells the two ends when they are on different hosts and the network tells NCCL:
ncclCommGetAsyncError says ncclRemoteError there. All others are told nothing.]],
  see = [[
The report names the two ends. On a cluster all ranks wait in the same call, and the counters
of a port or an asynchronous error on two ranks tell which link it is.]],
  repair = [[
Poll for asynchronous errors, spread the news outside of NCCL, and abort the communicator on
every rank; ncclCommShrink makes one without the rank that is cut off.]],
  ends = "hang", scenario = [[
scenario { ranks = 2, devices = 1 } -- a host for each
local x = cuda.buffer("float32", 8):fill(1)
fault.link { rank = 0, peer = 1 }
barrier()
world:all_reduce(x)
stream:sync()]],
  also = "rank-lost ncclRemoteError" }

class { "fault-unused", "a fault was asked for, and its call never came",
  what = [[
fault.kill, slow, fail or another of them waits for a call of its rank, and the rank comes to its end
without it. Nothing went wrong in that run: what the scenario is about was not tried.]],
  why = [[
Calls are counted for each rank and communicator from 1, collectives, sends, receives and one-sided
calls alike; with func, uses of that function are counted from the fault on. A loop that is shorter
than meant, a fault that stands behind its call or a communicator that is not the one meant leave
nothing to wait for.]],
  see = [[
The note names the statement, the rank, what it waited for and how many such calls the rank made.
It changes neither the verdict nor the exit status.]],
  repair = [[
Lower the number, or put the fault before the call; run -v and check --plan list the calls.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
fault.slow { rank = 1, call = 3, seconds = 1 }
world:all_reduce(x)
world:all_reduce(x) -- call 2, the last
stream:sync()]],
  also = "rank-lost call" }
