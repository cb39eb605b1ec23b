scenario {
  ranks   = 2,
  about   = "a result is spoilt from its fifth element on, and no other",
  outcome = { wrong = { rank = 1, call = 1, first = 5 } },
}

local x = cuda.buffer("float32", 8):fill(1)
fault.corrupt { rank = 1, first = 5 }
for _ = 1, 2 do world:all_reduce(x) end
stream:sync()
expect.equal(x:slice(1, 4), 4)
