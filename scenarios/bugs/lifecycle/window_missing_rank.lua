scenario {
  about   = "a window is registered by every rank but one",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "H4", thread = "NVIDIA/nccl#2397",
              nccl = "all who register stand in the call: symmetric windows are collective" },
  outcome = function(run)
    return { hang = { why = "skipped-call", culprit = run.param.culprit, waiting = "others",
                      comm = "world" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 64, { memory = "nccl" })
if rank ~= param.culprit then -- nobody puts into this rank's buffer, but the call is for all
  world:window(x, { symmetric = true })
end
