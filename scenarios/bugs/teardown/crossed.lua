scenario {
  about   = "one rank destroys two communicators in another order than the others",
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 3, 4, 8 }, odd = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T2", nccl = "each rank waits in its first ncclCommDestroy" },
  outcome = function(run)
    return { hang = { why = "destroy-order", culprit = run.nranks == 2 and { 0, 1 } or run.param.odd, waiting = "all" },
             findings = 1 }
  end,
}

local rows, columns = world:split { color = 0, name = "rows" }, world:split { color = 0, name = "columns" }
local x = cuda.buffer("float32", 16):fill(1)
rows:all_reduce(x)
columns:all_reduce(x)
stream:sync()
if rank == param.odd then
  columns:destroy()
  rows:destroy()
else
  rows:destroy()
  columns:destroy()
end
