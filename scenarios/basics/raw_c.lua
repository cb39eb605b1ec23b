scenario {
  ranks = 2,
  world = false,
  about = "a C reproducer, ported line by line: codes, handles, pointers",
}

local count, bytes = 1024, 1024 * C.sizeof(C.ncclFloat32)

-- A C function returns its code, then what C gives back through pointers.
if rank == 0 then
  local rc, id = C.ncclGetUniqueId()
  expect.equal(rc, C.ncclSuccess)
  store:set("id", id)
end
local comm   = C.check(C.ncclCommInitRank(nranks, store:get("id"), rank))
local device = C.check(C.cudaMalloc(bytes))
local s      = C.check(C.cudaStreamCreateWithFlags(C.cudaStreamNonBlocking))
local host   = C.host("float32", count):fill(rank + 1)

C.check(C.cudaMemcpyAsync(device, host, bytes, C.cudaMemcpyHostToDevice, s))
C.check(C.ncclGroupStart())
C.check(C.ncclAllReduce(device, device, count, C.ncclFloat32, C.ncclSum, comm, s))
C.check(C.ncclGroupEnd())
C.check(C.cudaMemcpyAsync(host, device, bytes, C.cudaMemcpyDeviceToHost, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(host, nranks * (nranks + 1) / 2)

-- What an object would refuse is passed on as it is: NCCL answers with a code.
expect.equal(C.ncclAllReduce(device, device, count, 99, C.ncclSum, comm, s), C.ncclInvalidArgument)
expect.equal(C.ncclGroupEnd(), C.ncclInvalidUsage)

C.check(C.ncclCommDestroy(comm))
C.check(C.cudaStreamDestroy(s))
C.check(C.cudaFree(device))
