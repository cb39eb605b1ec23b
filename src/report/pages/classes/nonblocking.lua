-- Findings: polling. A page for each rule of the diagnosis; fields: pages.lua.

group { "nonblocking", "polling" }

class { "used-in-progress", "a communicator was used while it was in progress",
  what = [[
A call is made on a non-blocking communicator whose last one is still on its way. It fails.]],
  why = [[
With blocking = 0 a call returns ncclInProgress and goes on in the background. Until
ncclCommGetAsyncError gives ncclSuccess the communicator takes no other call:
ncclInvalidArgument.]],
  see = [[
The report names the call that was in progress and the one that came too early. Where others
wait for the rank the class is error-path, in the same words.]],
  repair = [[
Poll ncclCommGetAsyncError until it is no longer ncclInProgress, after every call;
comm:wait_ready() does that.]],
  ends = "error", scenario = [[
scenario { ranks = 2, world = false }
if rank == 0 then store:set("id", nccl.unique_id()) end
local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false })
team:split { color = 0 } -- the init is on its way]],
  also = "error-path livelock ncclInProgress" }

class { "livelock", "a rank polls for something that cannot happen",
  what = [[
A loop asks again and again (a stream or event query, ncclCommGetAsyncError, a key of the
store), while nothing that could change the answer is under way.]],
  why = [[
On a GPU the process looks busy and goes nowhere.]],
  see = [[
The verdict comes after thousands of polls and hours on the virtual clock without any change:
never for a slow rank.]],
  repair = [[
See what the loop asks for and who should bring it about. A loop that ends on ncclSuccess also
has to end on errors.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
if rank == 0 then
  while not store:get("ready", { timeout = 0 }) do -- nobody sets it
  end
end]],
  also = "host-wait ncclInProgress" }

class { "sync-before-enqueued", "a wait while the call is still being launched",
  what = [[
On a non-blocking communicator a call has returned ncclInProgress, and the stream is synchronised
before the communicator was polled to ncclSuccess.]],
  why = [[
NCCL puts the operation into its stream later, from a thread of its own. A wait or an event
before that does not know of it: it covers nothing, or all, as time will have it.]],
  see = [[
The report names the wait and the call. The values may be right in spite of it.]],
  repair = [[
Poll ncclCommGetAsyncError until it says ncclSuccess (comm:wait_ready()), and only then wait for
the stream, record events, or enqueue what depends on the call.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local comm = world:split { color = 0, blocking = false }
comm:wait_ready()
local x = cuda.buffer("float32", 8):fill(1)
comm:all_reduce(x)
comm.stream:sync() -- comm:wait_ready() is missing before it
print(x[1]) -- 1 or 2]],
  also = "read-before-sync ncclInProgress" }
