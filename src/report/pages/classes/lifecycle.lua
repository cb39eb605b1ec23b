-- Findings: making and ending communicators. A page for each rule of the diagnosis; fields: pages.lua.

group { "lifecycle", "making and ending communicators" }

class { "init-missing-rank", "not every rank came to make the communicator",
  what = [[
ncclCommInitRank returns when all nranks ranks have called it. Somebody has not: it ended
before, took another branch, or waits for something else.]],
  why = [[
NCCL waits without a limit and names nobody.]],
  see = [[
All ranks that came sit inside of the call. The report names the missing one and what it does
instead; of processes with a thread for each rank also the thread that never joined or was
never spawned.]],
  repair = [[
See what the missing rank does instead. If it is not meant to take part, nranks is too
large.]],
  ends = "hang", scenario = [[
scenario { ranks = 3, world = false }
if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= 2 then
  nccl.init_rank(3, store:get("id"), rank) -- returns when all three have come
end]],
  also = "init-clash one-thread-no-group" }

class { "init-clash", "ranks disagree on who they are when a communicator is made",
  what = [[
Two callers gave the same rank, or different nranks, or one unique id serves two communicators,
or several ids serve one.]],
  why = [[
NCCL's rendezvous notices some of this, prints a warning on one rank and stops serving; those
who had checked in wait for ever.]],
  see = [[
The report lists what each caller passed, and, of ids that come from the store, whose key is
another one than those of the others. On a cluster look for a warning of the bootstrap in
the log of rank 0's process.]],
  repair = [[
One rank makes the id and hands it to the others; each id is used for one communicator; each
rank number from 0 to nranks - 1 comes exactly once.]],
  ends = "hang", scenario = [[
scenario { ranks = 2, world = false }
nccl.init_rank(2, nccl.unique_id(), rank) -- an id of its own on each rank]],
  also = "init-missing-rank" }

class { "duplicate-device", "ranks of a host share a device",
  what = [[
Several ranks join a communicator while the same device is current on them. NCCL refuses.]],
  why = [[
A rank is on the device that is current when it joins, and that is device 0 until cudaSetDevice
says otherwise. A launcher that shows all GPUs to every process, and a program that counts on
seeing one, make all ranks join with device 0. NCCL 2.30.7 refuses on all ranks, older ones only
on those that share, and the others wait.]],
  see = [[
ncclInvalidUsage of the init, "Duplicate GPU detected" or "Multiple Ranks are using the same
GPU". The report names the ranks and the device.]],
  repair = [[
cudaSetDevice with the rank's number on its host, before the init. Or let each process see one
GPU: CUDA_VISIBLE_DEVICES. NCCL_MULTI_RANK_GPU_ENABLE=1 allows it from 2.30.3 on.]],
  ends = "error", scenario = [[
scenario { ranks = 2, world = false }
if rank == 0 then store:set("id", nccl.unique_id()) end
cuda.set_device(0) -- on both
nccl.init_rank(nranks, store:get("id"), rank)]],
  also = "init-clash ncclInvalidUsage" }

class { "reused-id", "an id was used for a second communicator",
  what = [[
A communicator is started with the unique id that has made another one.]],
  why = [[
An id is the address of a meeting of all ranks, which is held once. Nobody serves it any more:
the second init tries for a while, and fails with ncclRemoteError, or waits for ever.]],
  see = [[
The report names both inits by their lines, and the communicator that the id has made.]],
  repair = [[
ncclGetUniqueId for each communicator, on one rank, and send it to the others. Or make the
second one out of the first: ncclCommSplit needs no id.]],
  ends = "error", scenario = [[
scenario { ranks = 2, world = false }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
nccl.init_rank(nranks, id, rank, { name = "data" })
nccl.init_rank(nranks, id, rank, { name = "model" })]],
  also = "init-clash init-missing-rank ncclRemoteError" }

class { "null-communicator", "a call was made on a communicator that the rank does not have",
  what = [[
The communicator of the call is NULL on the rank: nothing has made it there, or not yet.]],
  why = [[
A split gives NULL to a rank that took NCCL_SPLIT_NOCOLOR; a child of a non-blocking
communicator is NULL until that one is ready again; a group makes what is asked for in it when
it ends; and what failed made nothing.]],
  see = [[
The report says which of these it is, with the line. Where others wait for the rank the class is
error-path, in the same words.]],
  repair = [[
Leave the call out on ranks that have no part, or wait until the communicator is there.]],
  ends = "error", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local color = rank == 0 and 0 or C.NCCL_SPLIT_NOCOLOR
local part = select(2, C.check(0, C.ncclCommSplit(world, color, 0, nil)))
C.check(C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, part, stream))]],
  also = "error-path used-in-progress failed-call" }

class { "excluded-rank", "a rank that is to be left out called ncclCommShrink",
  what = [[
A rank is in its own list of ranks that the smaller communicator leaves out.]],
  why = [[
ncclCommShrink is called by those who stay, with the list of those who do not. Who is in it gets
ncclInvalidArgument; the others go on.]],
  see = [[
The report names the rank and the line.]],
  repair = [[
Call it only where the rank is not in the list; who leaves aborts the old communicator, and
makes no more calls on it.]],
  ends = "error", scenario = [[
scenario { ranks = 3 }
world:shrink { 1 } -- on rank 1, too]],
  also = "skipped-call init-clash" }

class { "part-too-small", "a call names a rank that its part of a split has not",
  what = [[
A root or a peer is beyond the last rank of the communicator, which is a part of a split, while
another part of the same split does have that rank: somebody is in another part than was meant.]],
  why = [[
Every rank works out its color by itself, and NCCL takes what it is given: a color that nobody
shares makes a communicator of one. The call is refused on that rank alone, and others wait.]],
  see = [[
The report names the call, the size of the part, and who gave which color. On a cluster: "invalid
root" or "invalid peer" in the log of one rank.]],
  repair = [[
Work out colors from numbers that all ranks share, and check the number of ranks of what comes out.]],
  ends = "hang", scenario = [[
scenario { ranks = 4 }
local color = rank < 3 and 0 or 1 -- meant: rank // 2
local pair  = world:split { color = color, name = "pair" }
local x     = cuda.buffer("float32", 8):fill(1)
local rc    = C.ncclBroadcast(x, x, 8, C.ncclFloat32, 1, pair, pair.stream)
if rc == C.ncclSuccess then
  world:all_reduce(x)
end
stream:sync()]],
  also = "init-clash error-path" }

class { "early-destroy", "a rank destroyed a communicator that others still use",
  what = [[
A rank left by ncclCommDestroy or ncclCommFinalize before it had made all the calls that its
peers make. The peers wait for the missing part for ever.]],
  why = [[
Both wait for this rank's own work and for nobody else's. A later call with the destroyed
handle is undefined and may crash.]],
  see = [[
The report names the destroy and its line, and the call that the others wait in.]],
  repair = [[
Destroy at the same point of the program on every rank, after the last call of all of them; or
make the call that this rank left out.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  world:destroy()
else
  world:all_reduce(x)
  stream:sync()
end]],
  also = "skipped-call abort-one-rank never-destroyed" }

class { "used-after-destroy", "a rank used a communicator that it had destroyed",
  what = [[
A rank destroys a communicator twice, or makes a call on it after its destroy or abort.]],
  why = [[
Two owners of one handle, a destructor that runs late, a watchdog that still polls. The handle is
freed memory then: NCCL returns ncclInvalidArgument if it is lucky, and crashes if it is not. As
the call comes to nothing, the peers may wait for it.]],
  see = [[
The report names both calls and their lines; a note where nobody waits because of it. Objects of
a scenario refuse such calls themselves, so it takes C functions to get there.]],
  repair = [[
One owner for each handle, which sets it to NULL when it destroys it: destroying NULL is no error.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local half = world:split { color = 0, name = "half" }
half:destroy()
if rank == 1 then
  C.ncclCommDestroy(half)
end]],
  also = "early-destroy ncclInvalidArgument" }

class { "stale-operator", "a rank used the handle of an operator that it had destroyed",
  what = [[
A pre-mul-sum operator is destroyed, a new one gets its handle, and a copy of the old handle that
somebody kept now names the new operator: its factor applies.]],
  why = [[
NCCL gives freed handles away again, the last one first. A handle is a number and carries no sign
of its age, so nothing fails: the sum has another factor on the rank with the copy.]],
  see = [[
The report is a note beside a wrong result, and likely rather than certain: the operator of the
call has the handle of an earlier one, whose factor is that of all other ranks. If all ranks keep
such a copy, all have the same wrong factor, and nothing tells.]],
  repair = [[
Keep no copy of a handle beyond its destroy; make operators anew where they are needed, or once
for the whole program.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local function scale(factor)
  local scalar = C.host("float32", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat32, C.ncclScalarHostImmediate, world))
end
local op = scale(2)
C.check(C.ncclRedOpDestroy(op, world))
scale(0.5)
if rank == 1 then op = scale(2) end -- rank 0 keeps the old handle
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, op, world, stream))
stream:sync()
expect.equal(x, 4)]],
  also = "zero-factor op-mismatch ncclRedOpDestroy" }

class { "foreign-operator", "an operator was used that is not good for the call",
  what = [[
A call uses a pre-mul-sum operator that was destroyed before, that was made on another
communicator, or for another data type. It fails.]],
  why = [[
An operator belongs to the communicator that it was made on, on that rank, and to one type, and
the library looks for it there: ncclInvalidArgument. An operator may be destroyed as soon as the
last call that uses it was made, and not before.]],
  see = [[
The report names the call, and the line at which the operator was destroyed or made. Where
others wait for the rank the class is error-path, in the same words.]],
  repair = [[
One operator for each communicator and type, destroyed behind its last use.]],
  ends = "error", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local half = world:premulsum("float16", 0.5)
world:all_reduce(x, { op = half }) -- of another type
stream:sync()]],
  also = "stale-operator stale-scalar failed-call" }

class { "zero-factor", "the factor of a pre-mul-sum is 0 on every rank",
  what = [[
A reduction with a pre-mul-sum operator yields zeros, whatever is reduced.]],
  why = [[
The operator was made for a narrow type (bfloat16, float16, a float8) from a wider scalar. NCCL
reads as many bytes as the operator's type has: of a float32 the lower two, which are 0 for every
power of two. No call fails.]],
  see = [[
The report is a note beside a wrong result. On a cluster: gradients that are all zero, without a
NaN and without an error.]],
  repair = [[
Convert the factor to the type of the operator before giving its address.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("bfloat16", 8):fill(1)
local factor = C.host("float32", 1):fill(0.5)
local op = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclBfloat16, C.ncclScalarHostImmediate, world))
C.check(C.ncclAllReduce(x, x, 8, C.ncclBfloat16, op, world, stream))
stream:sync()
expect.equal(x, 1)]],
  also = "stale-operator dtype-mismatch ncclRedOpCreatePreMulSum" }

class { "buffer-overlap", "send and receive buffer of a call overlap",
  what = [[
The bytes that a call sends and those that it receives into overlap, and not as NCCL's in-place
operation wants it. Parts are overwritten before they are sent.]],
  why = [[
In place is: the same address for all-reduce, reduce and broadcast; block number `rank` of the
receive buffer for all-gather, of the send buffer for reduce-scatter. The usual mistake is to give
the start of the buffer on every rank: that is right on rank 0 alone.
NCCL compares no addresses. What comes out is undefined, and mostly wrong on some ranks only.]],
  see = [[
The report is a note with the distance of the two buffers. On a cluster: results that are right on
rank 0, or with one algorithm.]],
  repair = [[
Two buffers that are apart, or the address that in place asks for.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local all = cuda.buffer("int32", 8):fill(-1)
local mine = all:slice(1, 4):fill(rank + 1) -- block `rank` is meant: all:part(rank)
world:all_gather(mine, all)
stream:sync()
expect.equal(all:part(1), 2)]],
  also = "illegal-access ncclAllGather ncclReduceScatter" }

class { "never-destroyed", "a communicator was left without destroy",
  what = [[
The rank ended with a communicator that it neither destroyed nor aborted. That does not hang,
but it holds GPU memory, threads and sockets until the process ends.]],
  why = [[
ncclCommDestroy waits for this rank's own work only, so peers need not be there.]],
  see = [[
A note at the end of a program under ncclscript exec: some ranks destroyed it, others did not. In
a scenario ncclscript closes what is left.]],
  repair = [[
Destroy it, also on the paths that errors take.]],
  also = "early-destroy" }
