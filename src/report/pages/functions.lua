-- The functions of the API in families: what those of a family have in common. Which functions these are,
-- signature, meaning of the arguments, Lua name and version come from src/api/api.lua. Fields: pages.lua.

local THREADS_NCCL = [[
One thread at a time on a communicator; different communicators may be used by different threads.]]
local THREADS_CUDA = [[
Safe from any thread. The current device and the last error belong to the thread.]]

-- A family: the group under which it is listed, then its title.
family { "communication", "collectives",
  what = [[
All ranks of the communicator make the call, in the same order among their calls, with the same count,
type, operator and root. It is enqueued in the stream; nothing compares the ranks' arguments.]],
  blocks = [[
Returns when it is enqueued. The first call on a communicator, or of a new algorithm, connects the
ranks and blocks its host until they have come. The stream says when it is done.]],
  threads = THREADS_NCCL,
  findings = "skipped-call extra-call swapped-calls kind-mismatch count-mismatch dtype-mismatch " ..
    "op-mismatch root-mismatch zero-count comm-order",
  reference = "NCCL user guide, Collective Communication Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x   = cuda.buffer("float32", 4):fill(rank + 1)
local all = cuda.buffer("float32", 4 * nranks)
world:all_reduce(x)
stream:sync()
expect.equal(x, 3)
world:reduce(x, { op = "max" })         -- the result is on the root, rank 0
world:broadcast(x)                      -- from the root
C.ncclBcast(x, #x, C.ncclFloat32, 0, world, stream)
world:all_gather(x, all)
world:reduce_scatter(all, x, { op = "avg" })
stream:sync()
expect.equal(x, 3)]] }

family { "communication", "sends and receives",
  what = [[
A send and a receive of two ranks meet by their order for this pair on this communicator; there are no
tags. Count and type have to be the same on both sides.]],
  blocks = [[
Returns when it is enqueued, but for the first contact with the peer, which blocks the host until the
other side has come. In the stream a send is done when its receive is there, or, if it fits into
NCCL's buffers, before; a receive when the data is.]],
  threads = THREADS_NCCL,
  findings = "p2p-cycle send-without-recv recv-without-send wrong-peer p2p-count-mismatch host-wait",
  reference = "NCCL user guide, Point-to-point communication",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local mine, theirs = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
nccl.group(function()
  world:send(mine, 1 - rank)
  world:recv(theirs, 1 - rank)
end)
stream:sync()
expect.equal(theirs, 1 - rank)]] }

family { "communication", "collectives made of sends",
  what = [[
One call of all ranks, inside of which are sends and receives: a rank waits only for those that it
exchanges blocks with.]],
  blocks = [[
Returns when it is enqueued, but for the first contact with a peer. The stream says when it is done.]],
  threads = THREADS_NCCL,
  findings = "skipped-call kind-mismatch count-mismatch root-mismatch",
  reference = "NCCL user guide, Collective Communication Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("int32", 2):fill { 10 * rank, 10 * rank + 1 }, cuda.buffer("int32", 2)
world:all_to_all(x, y)
stream:sync()
expect.equal(y, { rank, 10 + rank })
local one, all = cuda.buffer("int32", 1):fill(rank), cuda.buffer("int32", 2)
world:gather(one, rank == 0 and all or nil)
world:scatter(rank == 0 and all or nil, one)
stream:sync()
expect.equal(one, rank)]] }

family { "communication", "one-sided calls",
  what = [[
A put writes into a window of the peer and then signals it; a wait holds its stream until so many
signals of each peer that it lists have come.]],
  blocks = [[
Returns when it is enqueued, but for the first one-sided call on the communicator, which waits on the
host until every rank has made one. A wait blocks its stream.]],
  threads = THREADS_NCCL,
  findings = "signal-missing signal-setup signal-cycle illegal-access",
  reference = "NCCL user guide, One-sided communication (host RMA)",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x   = cuda.buffer("float32", 16, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })
world:put_signal(x:part(0, 2), 1 - rank, win, { first = 9 })
world:wait_signal(1 - rank)
world:signal(1 - rank) -- what came has been taken
world:wait_signal(1 - rank)
stream:sync()
expect.equal(x:part(1, 2), 1 - rank)]] }

family { "communication", "groups",
  what = [[
Between start and end the calls of this thread are only queued. The outermost end carries them out
together and says what was wrong with any of them; then none is made. ncclGroupSimulateEnd makes
none and estimates the time.]],
  blocks = [[
The outermost end waits for what its calls wait for on the host: making a communicator, first contact.
Not for the streams. With a non-blocking communicator it may return ncclInProgress.]],
  threads = [[
Groups belong to the thread, and may be nested.]],
  findings = "missing-group-end one-thread-no-group p2p-cycle error-path",
  reference = "NCCL user guide, Group Calls",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
local seconds = nccl.simulate(function() world:all_reduce(x) end) -- ncclGroupSimulateEnd
expect.that(seconds > 0)
C.ncclGroupStart()
world:all_reduce(x)
world:all_reduce(y)
C.ncclGroupEnd()
stream:sync()
expect.equal(y, 4)]] }

family { "communication", "operators",
  what = [[
An operator belongs to the communicator that it was made for, and to one data type. A scalar of the
host is read at once, one of the device when the operation runs. Destroying it right after the call is
fine.]],
  blocks = [[
Never.]],
  threads = THREADS_NCCL,
  findings = "op-mismatch",
  reference = "NCCL user guide, User Defined Reduction Operators",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x  = cuda.buffer("float32", 8):fill(4)
local op = world:premulsum("float32", 0.25)
world:all_reduce(x, { op = op })
op:destroy()
stream:sync()
expect.equal(x, 2)]] }

family { "communicators", "making communicators",
  what = [[
One rank makes an id and hands it to the others; each rank joins with it, its own number and the same
nranks. ncclCommInitAll does that for the devices of one thread.]],
  blocks = [[
ncclGetUniqueId does not. Joining waits on the host until all nranks ranks have come; in a group the
end of the group does, and with blocking = 0 nobody: poll ncclCommGetAsyncError.]],
  threads = [[
Any thread; one thread that joins as several ranks has to do so in a group.]],
  findings = "init-missing-rank init-clash one-thread-no-group",
  reference = "NCCL user guide, Communicator Creation and Management Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2, world = false }
if rank == 0 then
  store:set("id", nccl.unique_id())
end
local comm = nccl.init_rank(2, store:get("id"), rank)
expect.equal(comm.rank, rank)]] }

family { "communicators", "communicators out of others",
  what = [[
A split is a call of all ranks of the parent: who wants no part passes NCCL_SPLIT_NOCOLOR. A shrink is
one of those that stay. To grow, the old ranks call with rank -1 and the new ones with an id that one
old rank asked for. The parent has to be idle.]],
  blocks = [[
On the host, until all who have to call it have; with blocking = 0 nobody waits: poll
ncclCommGetAsyncError.]],
  threads = THREADS_NCCL,
  findings = "skipped-call kind-mismatch init-missing-rank init-clash",
  reference = "NCCL user guide, Creating more communicators; Shrinking a communicator",
  ends = "pass", scenario = [[
scenario { ranks = 4 }
local pair = world:split { color = rank // 2 }
expect.equal(pair.nranks, 2)
if rank < 3 then
  local three = world:shrink { 3 }
  expect.equal(three.nranks, 3)
end]] }

family { "communicators", "ending communicators",
  what = [[
Finalize and destroy complete this rank's own work; abort and revoke cut it short, and that of no other
rank. After a revoke the communicator can still be split or shrunk.]],
  blocks = [[
Finalize and destroy wait on the host for this rank's operations, which may wait for other ranks.
Abort and revoke wait for nobody else.]],
  threads = [[
Destroy only when no other thread uses it. Abort may come from another thread than the one that
waits.]],
  findings = "early-destroy abort-one-rank never-destroyed rank-lost real-library-crash",
  reference = "NCCL user guide, Fault Tolerance; Communicator Creation and Management Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
local other = world:split { color = 0 }
other:revoke()
other:abort()
world:finalize()
world:destroy()]] }

family { "communicators", "memory of communicators",
  what = [[
All ranks suspend and resume together; while suspended no call may be made on the communicator.]],
  blocks = [[
Suspend and resume wait on the host until all ranks have called.]],
  threads = THREADS_NCCL,
  findings = "skipped-call real-library-crash",
  reference = "NCCL user guide, Communicator Creation and Management Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:suspend()
expect.equal(world:mem_stats().suspended, 1)
world:resume()
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)]] }

family { "communicators", "facts of a communicator",
  what = [[
They tell what the communicator is, on this rank. ncclCommGetAsyncError is how a rank learns of what
no call of its own returned.]],
  blocks = [[
Never.]],
  threads = [[
Any thread, also beside one that waits in the communicator.]],
  findings = "livelock link-cut",
  reference = "NCCL user guide, Communicator Creation and Management Functions",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
expect.equal(world.nranks, 2)                    -- ncclCommCount
expect.equal(world.rank, rank)                   -- ncclCommUserRank
expect.equal(world.device, rank)                 -- ncclCommCuDevice
expect.equal(world:async_error(), "ncclSuccess") -- ncclCommGetAsyncError]] }

family { "communicators", "registered memory and windows",
  what = [[
Registered memory is used without a copy; a window is registered by all ranks, and others may write
into it. Deregister before the memory is freed.]],
  blocks = [[
ncclCommWindowRegister waits on the host until all ranks have called; ncclMemFree for the device.]],
  threads = THREADS_NCCL,
  findings = "skipped-call illegal-access signal-missing",
  reference = "NCCL user guide, Communicator Memory Registration; Window Registration",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8, { memory = "nccl" }):fill(1) -- ncclMemAlloc
local r = world:register(x)
local w = world:window(x, { symmetric = true })
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)
w:deregister()
r:deregister()
x:free()]] }

family { "the library", "version, errors and parameters of NCCL",
  what = [[
They tell about the library, and change nothing.]],
  blocks = [[
Never.]],
  threads = [[
Any thread.]],
  reference = "NCCL user guide, API reference",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local code, text = nccl.version()
expect.that(code >= 22809 and text:find("^2%."))
expect.that(nccl.error_string("ncclRemoteError"))]] }

family { "CUDA", "devices",
  what = [[
Devices are counted from 0 within the process. Most calls are about the thread's current device.]],
  blocks = [[
cudaDeviceSynchronize and cudaDeviceReset wait for all work of the device, other calls for nothing.]],
  threads = THREADS_CUDA,
  reference = "CUDA Runtime API, Device Management",
  ends = "pass", scenario = [[
scenario { ranks = 1, devices = 2 }
expect.equal(cuda.device_count(), 2)
cuda.set_device(1)
expect.equal(cuda.device(), 1)
expect.that(cuda.properties(1).total_global_mem > 0)
cuda.sync()]] }

family { "CUDA", "peer access",
  what = [[
Kernels of a device may use another one's memory once that is enabled, in one direction.]],
  blocks = [[
Never.]],
  threads = THREADS_CUDA,
  findings = "illegal-access",
  reference = "CUDA Runtime API, Peer Device Memory Access",
  ends = "pass", scenario = [[
scenario { ranks = 1, devices = 2 }
local here  = cuda.buffer("float32", 8):fill(1)
local there = cuda.buffer("float32", 8, { device = 1 }):fill(2)
expect.that(cuda.can_access_peer(0, 1))
cuda.enable_peer(1)
here:add(there) -- a kernel that reads the other device's memory
expect.equal(here, 3)]] }

family { "CUDA", "errors of CUDA",
  what = [[
The last error of the thread; an error of a kernel shows at some later call.]],
  blocks = [[
Never.]],
  threads = THREADS_CUDA,
  reference = "CUDA Runtime API, Error Handling",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.equal(C.cudaSetDevice(99), C.cudaErrorInvalidDevice)
expect.equal(cuda.last_error(), "cudaErrorInvalidDevice") -- and clears it
expect.equal(cuda.last_error(), nil)]] }

family { "CUDA", "memory of devices",
  what = [[
An allocation belongs to the device that was current. What a kernel or an operation still uses must not
be freed.]],
  blocks = [[
cudaFree waits for the device, also for operations that wait for other ranks; cudaMalloc may.]],
  threads = THREADS_CUDA,
  findings = "illegal-access host-wait",
  reference = "CUDA Runtime API, Memory Management",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1) -- cudaMalloc
local y = cuda.buffer("float32", 8, { memory = "managed" }):fill(2)
x:copy_from(y)
expect.equal(x, 2)
x:free() -- cudaFree
y:free()]] }

family { "CUDA", "memory of the host",
  what = [[
Pinned memory of the host: copies to and from it run in the order of a stream.]],
  blocks = [[
cudaFreeHost waits for the device.]],
  threads = THREADS_CUDA,
  findings = "illegal-access",
  reference = "CUDA Runtime API, Memory Management",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8, { memory = "pinned" }) -- cudaMallocHost
local y = cuda.buffer("float32", 8):fill(3)
x:copy_from(y, { stream = stream })
stream:sync()
expect.equal(x, 3)
x:free()]] }

family { "CUDA", "memory in the order of streams",
  what = [[
The memory is there from the allocation's place in its stream to that of the free: other streams have to
wait for the one and before the other.]],
  blocks = [[
Never for a stream.]],
  threads = THREADS_CUDA,
  findings = "illegal-access",
  reference = "CUDA Runtime API, Stream Ordered Memory Allocator",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8, { stream = stream }) -- cudaMallocAsync
x:fill(1, { stream = stream })
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)
x:free { stream = stream } -- cudaFreeAsync]] }

family { "CUDA", "copies and fills",
  what = [[
Those without a stream are in the legacy stream, which waits for the other streams of the device that
were not made non-blocking, and they for it.]],
  blocks = [[
cudaMemcpy waits until the copy is done; the asynchronous ones, with pinned memory, for nothing.]],
  threads = THREADS_CUDA,
  findings = "illegal-access",
  reference = "CUDA Runtime API, Memory Management",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
y:copy_from(x)                      -- cudaMemcpy: waits
y:copy_from(x, { stream = stream }) -- cudaMemcpyAsync
stream:sync()
expect.equal(y, 1)]] }

family { "CUDA", "streams",
  what = [[
The work of a stream is done one after the other; streams do not wait for each other but for events.]],
  blocks = [[
cudaStreamSynchronize waits for all that is in the stream, operations that wait for other ranks among
it: here most hangs show. cudaStreamWaitEvent holds the stream, not the host.]],
  threads = THREADS_CUDA,
  findings = "waiting livelock comm-order",
  reference = "CUDA Runtime API, Stream Management",
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local s, e = cuda.stream(), cuda.event()
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x, { stream = s })
e:record(s)
stream:wait(e) -- cudaStreamWaitEvent
stream:sync()
expect.that(s:query())
s:destroy()]] }

family { "CUDA", "events",
  what = [[
A record stands for what is in the stream so far; recorded again, it stands for the later place. An
event that was never recorded is done.]],
  blocks = [[
cudaEventSynchronize waits for what the event stands for.]],
  threads = THREADS_CUDA,
  findings = "waiting livelock",
  reference = "CUDA Runtime API, Event Management",
  ends = "pass", scenario = [[
scenario { ranks = 1, needs = { driver = "sim" } } -- the times are those of the simulator
local a, b = cuda.event(), cuda.event()
a:record(stream)
stream:delay(0.5)
b:record(stream)
b:sync()
expect.that(a:elapsed(b) >= 0.5)]] }

family { "CUDA", "functions of the host in a stream",
  what = [[
The function runs at its place in the stream, and what is behind it waits until it returns. It must not
call CUDA or NCCL.]],
  blocks = [[
Returns when it is enqueued. A function that waits for another rank holds its stream, and may be part
of a hang.]],
  threads = [[
The function runs in a thread of CUDA's, one at a time.]],
  findings = "host-wait",
  reference = "CUDA Runtime API, Execution Control; Stream Management",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local called = false
stream:callback(function() called = true end)
stream:sync()
expect.that(called)]] }

family { "CUDA", "capture of graphs",
  what = [[
The simulator does not capture: beginning one is refused with cudaErrorNotSupported.]],
  blocks = [[
Never.]],
  threads = THREADS_CUDA,
  reference = "CUDA Runtime API, Stream Management",
  ends = "pass", scenario = [[
scenario { ranks = 1, needs = { driver = "sim" } }
local rc = C.cudaStreamBeginCapture(stream, C.cudaStreamCaptureModeGlobal)
expect.equal(rc, C.cudaErrorNotSupported)
expect.equal(select(2, C.cudaStreamIsCapturing(stream)), C.cudaStreamCaptureStatusNone)]] }

family { "CUDA", "memory and events of other processes",
  what = [[
A process asks for a handle, another opens it. The memory has to be freed by its owner after all
others have closed it. The simulator refuses them with cudaErrorNotSupported.]],
  blocks = [[
Never.]],
  threads = THREADS_CUDA,
  reference = "CUDA Runtime API, Device Management",
  ends = "pass", scenario = [[
scenario { ranks = 1, needs = { driver = "sim" } }
local x = cuda.buffer("float32", 8):fill(1)
expect.equal(C.cudaIpcGetMemHandle(x.ptr), C.cudaErrorNotSupported)]] }

family { "CUDA", "stand-ins for kernels",
  what = [[
Functions of ncclscript's own, in place of kernels, which it does not run: time on a stream, and a sum.]],
  blocks = [[
Never: they are enqueued.]],
  threads = THREADS_CUDA,
  reference = "ncclscript, scenarios/README.md",
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
stream:delay(0.1)
x:add(y, { stream = stream })
stream:sync()
expect.equal(x, 3)]] }
