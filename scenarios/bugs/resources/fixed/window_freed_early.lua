scenario {
  about  = "the mended window_freed_early: first the window, then its memory",
  needs  = { nccl = "2.29" },
  matrix = { ranks = { 2, 4, 8 } },
}

local bytes = 4096
local p = C.check(C.ncclMemAlloc(bytes))
local window = C.check(C.ncclCommWindowRegister(world, p, bytes, C.NCCL_WIN_COLL_SYMMETRIC))
C.check(C.cudaMemsetAsync(p, 0, bytes, stream))
C.check(C.ncclAllReduce(p, p, bytes // 4, C.ncclFloat32, C.ncclSum, world, stream))
C.check(C.cudaStreamSynchronize(stream))
C.check(C.ncclCommWindowDeregister(world, window))
C.check(C.ncclMemFree(p))
