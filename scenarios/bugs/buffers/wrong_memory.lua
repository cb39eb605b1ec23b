scenario {
  about   = "one rank's pointer is of pageable host memory, or of a buffer that was freed",
  needs   = { driver = "sim" },
  params  = { memory = "host", culprit = 1 },
  matrix  = { ranks = { 2, 4 }, memory = { "host", "freed" }, culprit = { 0, 1 } },
  bug     = { entry = "K2",
              nccl = "illegal access, seen in a later call; ncclInvalidArgument with NCCL_CHECK_POINTERS=1" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = run.param.culprit,
             findings = 1,
             finding = { rule = "illegal-access", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local x = cuda.buffer("float32", 64):fill(1)
local p = x.ptr
if rank == param.culprit then
  if param.memory == "host" then p = cuda.buffer("float32", 64, { memory = "pageable" }):fill(1)
  else x:free() end
end
C.check(C.ncclAllReduce(p, p, 64, C.ncclFloat32, C.ncclSum, world, stream))
stream:sync()
