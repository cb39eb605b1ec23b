scenario {
  ranks   = 10,
  about   = "the two ranks of a pair disagree, and two other pairs agree with each of them",
  outcome = { hang = { culprit = { 8, 9 }, waiting = { 8, 9 }, why = "count-mismatch" } },
}

local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
local x = cuda.buffer("float32", 8):fill(1)
local small = rank >= 4 and rank <= 8
pair:all_reduce(x, { count = small and 4 or 8 })
stream:sync()
