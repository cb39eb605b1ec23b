scenario {
  about   = "memory is freed and allocated again in the order of a stream: its contents are gone",
  needs   = { driver = "sim" },
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "K3", nccl = "often right, because the pool gives the same memory back" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-written", culprit = run.param.culprit, call = 2, comm = "world",
                         certainty = "undefined" } }
  end,
}

local n = 256
local x = cuda.buffer("float32", n, { stream = stream }):fill(1)
world:all_reduce(x)
stream:sync()
if rank == param.culprit then
  x:free { stream = stream }
  x = cuda.buffer("float32", n, { stream = stream }) -- the old sum is expected to be there
end
world:all_reduce(x)
stream:sync()
