scenario {
  about   = "each pair destroys its communicator, but one rank goes on to the next call without it",
  params  = { odd = 1 },
  matrix  = { ranks = { 4, 6, 8 }, odd = { 1, 2 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "its partner waits in ncclCommDestroy, all others in their call" },
  outcome = function(run)
    return { hang = { why = "destroy-order", culprit = run.param.odd, waiting = "all" }, findings = 1 }
  end,
}

local pair = world:split { color = rank // 2, name = "pair" }
local x = cuda.buffer("float32", 16):fill(1)
pair:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank ~= param.odd then
  pair:destroy()
end
world:all_reduce(x)
stream:sync()
