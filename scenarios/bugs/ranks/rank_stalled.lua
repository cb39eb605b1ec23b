scenario {
  ranks   = 4,
  about   = "a rank stops for ever in the middle of its work, alive",
  outcome = { hang = { culprit = 1, waiting = { 0, 2, 3 }, call = 3, why = "rank-lost" } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
fault.stall { rank = 1, func = "cudaStreamSynchronize", nth = 2 }
for _ = 1, 4 do
  world:all_reduce(x)
  stream:sync()
end
