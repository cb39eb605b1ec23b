scenario {
  ranks   = 4,
  about   = "a bad cable: two elements come out wrong on one rank, and no call fails",
  outcome = { wrong = { rank = 1, call = 2, first = 3 } },
}

local x = cuda.buffer("float32", 8):fill(rank + 1)
fault.corrupt { rank = 1, call = 2, first = 3, count = 2 }
for _ = 1, 3 do world:all_reduce(x) end
stream:sync()
