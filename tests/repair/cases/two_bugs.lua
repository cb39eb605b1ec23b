-- Behind the first hang is another.
scenario { ranks = 3, outcome = { hang = { culprit = 0, why = "count-mismatch" } } }

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x, { count = rank == 0 and 4 or 8 })
stream:sync()
if rank == 1 then return end
world:all_reduce(x)
stream:sync()
