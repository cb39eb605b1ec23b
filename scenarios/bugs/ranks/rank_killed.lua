scenario {
  ranks   = 4,
  about   = "a rank dies between two calls, and nobody is told",
  outcome = { hang = { culprit = 2, waiting = { 0, 1, 3 }, call = 5, why = "rank-lost" } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
fault.kill { rank = 2, call = 5 }
for _ = 1, 8 do
  world:all_reduce(x)
  stream:sync()
end
