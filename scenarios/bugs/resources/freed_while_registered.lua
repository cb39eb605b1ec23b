scenario {
  about   = "a buffer is freed before its registration ends, so NCCL keeps a mapping of memory that is gone",
  needs   = { nccl = "2.19" },
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "R2", nccl = "no error; a later buffer at the same address is used by the old mapping" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "freed-while-registered", culprit = run.param.culprit, certainty = "undefined" } }
  end,
}

local x = cuda.buffer("float32", 1024):fill(rank)
local registration = world:register(x)
world:all_reduce(x, { op = "max" })
stream:sync()
expect.equal(x, nranks - 1)
if rank == param.culprit then x:free() end
registration:deregister()
