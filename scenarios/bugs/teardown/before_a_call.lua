scenario {
  about   = "one rank destroys a communicator before a call on another one; the others make the call first",
  params  = { odd = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T2", nccl = "that rank waits in ncclCommDestroy, the others in their call" },
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
  half:destroy()
end
world:all_reduce(x)
stream:sync()
if rank ~= param.odd then
  half:destroy()
end
