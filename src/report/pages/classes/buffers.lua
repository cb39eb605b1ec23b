-- Findings: memory. A page for each rule of the diagnosis; fields: pages.lua.

group { "buffers", "memory" }

class { "illegal-access", "an operation touched memory that is not its own",
  what = [[
A kernel or a copy read or wrote outside of an allocation, or in one that was freed before the
operation ran: it runs later than it was enqueued.]],
  why = [[
A receive buffer of one block where nranks are written, bytes taken for elements, a free
before the stream has passed.]],
  see = [[
CUDA reports error 700 (illegal address) at some later call, or nothing, and a neighbour's
data is spoilt. The report names the operation, the allocation and who freed it.]],
  repair = [[
Check the extents (the receive buffer of an all-gather holds count times nranks elements) and
free buffers only after the stream has passed the operation.]],
  ends = "error", scenario = [[
scenario { ranks = 1 }
local x     = cuda.buffer("float32", 8):fill(1)
local other = cuda.stream()
stream:delay(1)
world:all_reduce(x)
x:free { stream = other } -- nothing orders this behind the operation
stream:sync()]],
  also = "cudaErrorIllegalAddress real-library-crash" }

class { "real-library-crash", "the real library would crash here",
  what = [[
A call was given something that NCCL follows without a check: a handle that was destroyed, a
pointer that is none.]],
  why = [[
The simulator returns ncclInvalidArgument in its place and goes on, so that the rest of the run
can be seen. On a GPU the process would end, or go on with spoilt data.]],
  see = [[
The report names the call and the handle.]],
  repair = [[
Look at the call that is named: who destroyed or freed what it uses?]],
  ends = "wrong", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1)
world:finalize()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream) -- nobody looks at the code]],
  also = "illegal-access early-destroy" }

class { "overlapping-buffers", "operations that run together use the same memory",
  what = [[
Two calls use overlapping memory, one of them writes it, and both may run at the same time. The
result hangs on which is faster.]],
  why = [[
What a group sends and receives moves all at once, and operations of two streams run side by
side unless something orders them. NCCL does not compare the buffers of different calls.]],
  see = [[
The report names both calls. The values may be right in spite of it.]],
  repair = [[
Give them memory that does not overlap, or let one end before the other begins.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank)
nccl.group(function()
  world:send(x, 1 - rank)
  world:recv(x, 1 - rank) -- into what is being sent
end)
stream:sync()]],
  also = "buffer-reused unordered-input" }

class { "stale-scalar", "the scalar of an operator changed before the operation read it",
  what = [[
A pre-mul-sum was made with a scalar in device memory, and that memory is written or freed before
an operation with it has ended. Ranks may use different factors.]],
  why = [[
With ncclScalarDevice the operator keeps the address and reads it when the operation runs, which
is later than the call.]],
  see = [[
The report names the call and the line that changes the scalar.]],
  repair = [[
stream:sync() before the scalar is changed; or a scalar of its own for each operation; or one of
the host (a number), which is copied when the operator is made.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local scale = cuda.buffer("float32", 1):fill(0.5)
local op, x = world:premulsum("float32", scale), cuda.buffer("float32", 8):fill(2)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, { op = op })
scale:fill(4) -- for the next step
stream:sync()
expect.equal(x, 2)]],
  also = "buffer-reused illegal-access" }

class { "foreign-buffer", "a buffer lies on another device than its communicator",
  what = [[
A call is given device memory of one GPU on a communicator of another one. Its kernel reads and writes
it across the link between the two, and the result is right.]],
  why = [[
NCCL does not ask where a buffer is, unless NCCL_CHECK_POINTERS=1 or NCCL_CHECK_MODE=DEBUG_LOCAL
tells it to: then it is ncclInvalidArgument. Where the devices cannot use each other's memory it is
an illegal access (CUDA error 700). Typical: the device was not set before the allocation, and all
ranks of a host allocate on device 0.]],
  see = [[
The note names the call, the buffer, where it was allocated, and both devices. On a cluster:
NCCL_CHECK_MODE=DEBUG_LOCAL, or nvidia-smi, which shows memory of several processes on one device.]],
  repair = [[
Set the device before anything is allocated, and ask for the device of a buffer where it comes from
outside (cudaPointerGetAttributes).]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8, { device = 0 }):fill(1) -- on rank 1, too
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)]],
  also = "illegal-access ncclInvalidArgument" }
