scenario {
  about   = "every rank frees the memory of its window, and deregisters the window afterwards",
  needs   = { nccl = "2.29" },
  matrix  = { ranks = { 2, 4, 8 } },
  bug     = { entry = "R2", nccl = "no error here; the end of the window unmaps memory that may be something else's" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0,
             finding = { rule = "freed-while-registered", culprit = all, certainty = "undefined" } }
  end,
}

local bytes = 4096
local p = C.check(C.ncclMemAlloc(bytes))
local window = C.check(C.ncclCommWindowRegister(world, p, bytes, C.NCCL_WIN_COLL_SYMMETRIC))
C.check(C.cudaMemsetAsync(p, 0, bytes, stream))
C.check(C.ncclAllReduce(p, p, bytes // 4, C.ncclFloat32, C.ncclSum, world, stream))
C.check(C.cudaStreamSynchronize(stream))
C.check(C.ncclMemFree(p))
C.check(C.ncclCommWindowDeregister(world, window))
