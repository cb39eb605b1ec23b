-- Rank 3 has not made call 2, but nobody can say that it would not.
scenario { ranks = 4, outcome = { hang = { culprit = 1, call = 1, why = "count-mismatch" } } }

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x, { count = rank == 1 and 4 or 8 })
if rank == 3 then
  stream:sync()
end
world:all_reduce(x)
stream:sync()
