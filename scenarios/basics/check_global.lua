scenario {
  ranks = 3,
  needs = { nccl = "2.29.7" },
  env = { NCCL_CHECK_MODE = "DEBUG_GLOBAL" },
  about = "NCCL_CHECK_MODE=DEBUG_GLOBAL: buffers at other places of symmetric memory are refused, and rank 0 says where",
}

local m = cuda.buffer("float32", 1024, { memory = "nccl" }):fill(1)
local w = world:window(m, { symmetric = true })
local F32, SUM = C.ncclFloat32, C.ncclSum
local off = m:slice(rank == 1 and 9 or 1)

local function refused(rc, what)
  expect.equal(rc, C.ncclInvalidArgument)
  expect.that(rank > 0 or nccl.last_error():find(what, 1, true), nccl.last_error())
  barrier() -- on real NCCL the last error is the process's
end

refused(C.ncclAllReduce(off, m, 8, F32, SUM, world, stream),
  "failed on rank 1: send buffer user offset (0x20) mismatch with rank 0 (0x0)")
refused(C.ncclAllReduce(m, off, 8, F32, SUM, world, stream),
  "failed on rank 1: recv buffer user offset (0x20) mismatch with rank 0 (0x0)")

-- Only reductions and gathers write with such stores: a broadcast may come from and go anywhere.
expect.equal(C.ncclBroadcast(m, off, 8, F32, 0, world, stream), 0)
stream:sync()
w:deregister()
