-- Findings: streams and hosts. A page for each rule of the diagnosis; fields: pages.lua.

group { "streams", "streams and hosts" }

class { "host-wait", "a host waits for another that does not come, or waits for NCCL",
  what = [[
One rank waits outside of NCCL (a store key, a barrier, a join). Either nobody is left who
could end that: the others finished without setting the key, or without coming to the barrier.
Or another rank will do it only after a call of NCCL has gone on, and that call needs the first
rank. Or one rank leaves out a barrier at which all others come, comes to one too many, or sets
its key under another name.]],
  why = [[
NCCL may block the host in the first call with a peer, to connect, and in any synchronisation
of a stream: a warm-up often hides such a knot.]],
  see = [[
The report names the key, barrier or thread, and who could have set it or come. Ranks are
compared by the places of the program: who alone does not come to the barrier, or does not set
its own key where the others set theirs, is the culprit.]],
  repair = [[
See that the key has the same name on both sides and is set on every path. Do not put host
messages between two halves of an exchange; post both halves first, then signal.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank == 0 then
  world:send(x, 1)       -- the first contact with rank 1 waits on the host
  store:set("sent", true)
else
  store:get("sent")
  world:recv(x, 0)
end
stream:sync()]],
  also = "first-contact livelock" }

class { "read-before-sync", "a result is read before its operation has ended",
  what = [[
The host, or another stream, reads what a call of NCCL writes, and nothing has waited for the
operation: it reads what was there before, always, seldom, or on the busiest day only.]],
  why = [[
A call of NCCL returns when its operation is in the stream, not when it has ended. A barrier of
the hosts, or the same call on another rank, is no wait for the stream; and a copy without a
stream goes to the legacy stream, which waits for blocking streams only.]],
  see = [[
The report names the call that writes and the line that reads, and says so too when the values
came out right by luck. On a cluster: values that are right in a debugger, or with
CUDA_LAUNCH_BLOCKING=1, and wrong otherwise.]],
  repair = [[
stream:sync() before the host reads. Another stream has to wait for an event that was recorded
after the call.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(0)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, y)
expect.equal(y, 2) -- stream:sync() is missing before it
stream:sync()]],
  also = "unordered-input sync-inside-group sync-before-enqueued" }

class { "unordered-input", "an operation reads what another stream may still write",
  what = [[
A kernel or a copy in one stream makes the data, a call of NCCL in another reads it, and nothing
makes it wait. It may send what was there before.]],
  why = [[
Streams have no order among themselves. It works as long as the producer is fast enough.]],
  see = [[
The report names both lines. On a cluster: wrong values on all ranks, now and then, which go away
with a synchronisation anywhere before the call.]],
  repair = [[
Record an event in the producer's stream and let the stream of the call wait for it, or put both
into one stream.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, compute = cuda.buffer("float32", 8):fill(0), cuda.stream()
compute:delay(1e-3)
x:fill(1, { stream = compute })
world:all_reduce(x) -- on the ready-made stream, which does not wait for `compute`
stream:sync()
expect.equal(x, 2)]],
  also = "read-before-sync buffer-reused" }

class { "buffer-reused", "memory is overwritten or freed while an operation uses it",
  what = [[
A call of NCCL is still on its stream when the next step fills its buffer, or frees it, or hands
it to somebody else. What is sent is then partly the next step's: every rank may get wrong data.]],
  why = [[
A call returns when its operation is in the stream, and the buffer is the operation's until that
has ended. cudaFree waits for the device; cudaFreeAsync only for what is in its own stream, and
so do the allocators of frameworks.]],
  see = [[
The report names the call and the line that overwrites or frees.]],
  repair = [[
stream:sync() first; or let the stream that overwrites wait for an event recorded after the call;
or use two buffers in turn; or free in the stream that used the memory last.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, y)
x:fill(2) -- for the next step
stream:sync()
expect.equal(y, 2)]],
  also = "unordered-input overlapping-buffers" }
