scenario {
  about   = "a rank stops for ever in the middle of its work, alive",
  params  = { victim = 1 },
  matrix  = { ranks = { 2, 4 }, victim = { 0, 1 } },
  bug     = { entry = "M1", thread = "NVIDIA/nccl#1063",
              nccl = "the others spin in their next call; every process is alive" },
  outcome = function(run)
    return { hang = { why = "rank-lost", culprit = run.param.victim, waiting = "others", call = 3 },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 1024):fill(rank)
fault.stall { rank = param.victim, func = "cudaStreamSynchronize", nth = 2 } -- a bad GPU does not come back
for _ = 1, 4 do
  world:all_reduce(x)
  stream:sync()
end
