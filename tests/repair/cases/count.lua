-- Rank 1 has less, in a buffer that holds no more.
scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "count-mismatch" } } }

local n = rank == 1 and 6 or 8
local x = cuda.buffer("int32", n):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x:slice(1, 6), nranks) -- what rank 1 has no data for is its zeros
