scenario {
  ranks = 2,
  env = { NCCL_CHECK_MODE = "DEBUG_LOCAL" },
  needs = { nccl = "2.29.7" },
  about = "NCCL_CHECK_MODE=DEBUG_LOCAL: a bad pointer is an error at the call, not a dead device",
}

local x = cuda.buffer("float32", 8):fill(rank)
local host = cuda.buffer("float32", 8, { memory = "pageable" }):fill(0)
local pinned = cuda.buffer("float32", 8, { memory = "pinned" }):fill(1)
local F32, SUM = C.ncclFloat32, C.ncclSum

local function refused(what, rc)
  expect.equal(rc, C.ncclInvalidArgument)
  expect.that(nccl.last_error():find(what .. " is not a valid pointer"), nccl.last_error())
end

for turn = 0, nranks - 1 do -- one after the other: on real NCCL the last error is the process's
  if rank == turn then
    refused("AllReduce : recvbuff 0x%x+",
      C.ncclAllReduce(x, host, 8, F32, SUM, world, stream))
    refused("AllReduce : sendbuff %(nil%)",
      C.ncclAllReduce(nil, x, 0, F32, SUM, world, stream)) -- nothing is sent, and it is looked at
    refused("Send : buff %(nil%)", C.ncclSend(nil, 8, F32, 1 - rank, world, stream))
  end
  barrier()
end

-- Where a buffer is ignored nobody looks: the send buffer of a broadcast off the root.
expect.equal(C.ncclBroadcast(rank == 0 and x or nil, x, 8, F32, 0, world, stream), 0)
-- Pinned memory is as good as a device's own.
expect.equal(C.ncclAllReduce(x, pinned, 8, F32, SUM, world, stream), 0)
stream:sync()
