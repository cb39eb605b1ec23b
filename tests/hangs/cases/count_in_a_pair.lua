scenario {
  ranks = 4,
  about = "one of a pair gives another count than the other pair does at the same line",
  outcome = { hang = { culprit = 3, why = "count-mismatch", comm = "tp1", call = 2 } },
}

local tp = world:split { color = rank // 2, name = "tp" .. rank // 2 }
local x = cuda.buffer("float32", 64):fill(rank)
for step = 1, 3 do
  tp:all_reduce(x, { count = (rank == 3 and step == 2) and 32 or 64 })
  stream:sync()
end
