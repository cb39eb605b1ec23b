scenario {
  ranks = 1,
  world = false,
  needs = { nccl = "2.14", gpus = 2 },
  about = "run-time loading: version check, then one thread starts all its devices from one id",
}

-- A binding that opens the library at run time, as interpreted languages do, asks for the version
-- before anything else. It goes without the functions that the library lacks.
local version = C.check(C.ncclGetVersion())
expect.that(version >= 21400, "too old: there is no ncclCommFinalize")

-- Every process has some devices, and one thread for all of them.
local mine  = math.max(1, math.min(4, cuda.device_count() // nranks))
local total = nranks * mine

if rank == 0 then
  store:set("id", C.check(C.ncclGetUniqueId()))
end
local id = store:get("id")

-- Each of these calls waits for all ranks: the thread can make them all only inside of a group.
-- The communicators are there when it has ended. CUDA knows nothing of the group: streams that are made
-- inside exist at once, on the device that is current.
local comms, streams, x = {}, {}, {}
C.check(C.ncclGroupStart())
for i = 1, mine do
  local at = rank * mine + i - 1
  C.check(C.cudaSetDevice(at % cuda.device_count()))
  comms[i] = C.check(C.ncclCommInitRank(total, id, at))
  streams[i] = C.check(C.cudaStreamCreateWithFlags(C.cudaStreamNonBlocking))
  C.check(C.cudaStreamSynchronize(streams[i])) -- nothing is on it
end
local current = C.check(C.cudaGetDevice())
C.check(C.ncclGroupEnd())
expect.equal(C.check(C.cudaGetDevice()), current, { label = "the end of the group keeps the device" })

for i, comm in ipairs(comms) do
  expect.equal(C.check(C.ncclCommCount(comm)), total)
  expect.equal(C.check(C.ncclCommUserRank(comm)), rank * mine + i - 1)
  C.check(C.cudaSetDevice(C.check(C.ncclCommCuDevice(comm))))
  x[i] = cuda.buffer("float32", 256):fill(rank * mine + i)
end

C.check(C.ncclGroupStart())
for i, comm in ipairs(comms) do
  C.check(C.ncclAllReduce(x[i], x[i], #x[i], C.ncclFloat32, C.ncclSum, comm, streams[i]))
end
C.check(C.ncclGroupEnd())
for i, s in ipairs(streams) do
  C.check(C.cudaStreamSynchronize(s))
  expect.equal(x[i], total * (total + 1) / 2)
end

-- Finalize completes the work, destroy frees. Neither waits for other ranks of the same process, so
-- one thread may end them one after the other.
for i, comm in ipairs(comms) do
  C.check(C.ncclCommFinalize(comm))
  C.check(C.ncclCommDestroy(comm))
  C.check(C.cudaStreamDestroy(streams[i]))
end
