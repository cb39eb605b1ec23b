scenario {
  ranks = 4,
  about = "one of a pair makes two calls in the order in which the other pair does not make them",
  outcome = { hang = { culprit = 1, why = "swapped-calls", comm = "tp0", call = 1 } },
}

local tp = world:split { color = rank // 2, name = "tp" .. rank // 2 }
local x, y = cuda.buffer("float32", 64):fill(rank), cuda.buffer("int32", 8):fill(rank)
if rank == 1 then
  tp:all_reduce(y)
  tp:all_reduce(x)
else
  tp:all_reduce(x)
  tp:all_reduce(y)
end
stream:sync()
