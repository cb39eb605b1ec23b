scenario {
  about   = "one rank sends before the all-reduce, the other receives after it",
  bug     = { entry = "D6", thread = { "NVIDIA/nccl#783", "NVIDIA/Megatron-LM#5240" },
              nccl = "hangs at first contact; once warm, small messages slip through" },
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
  outcome = function(run)
    if run.param.warm and run.policy == "typical" then
      return { pass = true, finding = { rule = "p2p-cycle", certainty = "luck" } }
    end
    return { hang = { culprit = { 0, 1 }, waiting = "all", why = "p2p-cycle" }, findings = 1 }
  end,
}

local x, sum = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 4):fill(1)

if param.warm then
  world:all_reduce(sum)
  if rank == 0 then world:send(x, 1) elseif rank == 1 then world:recv(x, 0) end
  stream:sync()
end
if rank == 0 then
  world:send(x, 1)
end
world:all_reduce(sum)
if rank == 1 then
  world:recv(x, 0) -- rank 0 comes to the all-reduce only when this has met its send
end
stream:sync()
