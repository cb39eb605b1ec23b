scenario {
  about   = "a child that shares its parent's resources is destroyed by all ranks but one, before a barrier",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", nccl = "returns while the parent exists, because the connections belong to the parent; the guide does not say so" },
  world   = { split_share = true },
  outcome = function(run)
    local finding = { rule = "destroy-missing-rank", certainty = "luck" }
    if run.policy == "typical" then return { pass = true, finding = finding, findings = 0 } end
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all", comm = "half" },
             finding = finding, findings = 1 }
  end,
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
stream:sync()
if rank ~= param.culprit then
  half:destroy()
end
barrier()
if rank == param.culprit then
  half:destroy()
end
world:destroy()
