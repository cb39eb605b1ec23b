scenario {
  about   = "a rank does not set the device before it allocates memory: it lies on device 0",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "K2",
              nccl = "works where the devices reach each other; ncclInvalidArgument with NCCL_CHECK_MODE=DEBUG_LOCAL" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "foreign-buffer", culprit = run.nranks - 1, call = 1, comm = "world" } }
  end,
}

if rank < nranks - 1 then cuda.set_device(rank) else cuda.set_device(0) end
local x = cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks ^ 2)
