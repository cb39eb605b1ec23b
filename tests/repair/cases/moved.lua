-- Rank 1 makes the first call of the others behind all of theirs.
scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "swapped-calls" } } }

local x, y = cuda.buffer("int32", 2):fill(1), cuda.buffer("float64", 4):fill(1)
if rank ~= 1 then world:all_reduce(y) end
for _ = 1, 3 do world:all_reduce(x) end
if rank == 1 then world:all_reduce(y) end
stream:sync()
expect.equal(x, 27)
expect.equal(y, nranks)
