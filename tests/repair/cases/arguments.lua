-- Root and count of rank 2 are wrong, in one call.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "root-mismatch" } } }

local x = cuda.buffer("int32", 8):fill(rank)
world:broadcast(x, { root = rank == 2 and 2 or 1, count = rank == 2 and 4 or 8 })
stream:sync()
expect.equal(x, 1)
