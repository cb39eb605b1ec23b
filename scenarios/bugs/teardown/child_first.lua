scenario {
  about   = "one rank destroys the parent before its child, the others the child first",
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T2", nccl = "each rank waits in its first ncclCommDestroy: the child has connections of its own" },
  outcome = function(run)
    return { hang = { why = "destroy-order", culprit = run.param.odd, waiting = "all" }, findings = 1 }
  end,
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
half:all_reduce(x)
stream:sync()
if rank == param.odd then
  world:destroy()
end
half:destroy()
if rank ~= param.odd then
  world:destroy()
end
