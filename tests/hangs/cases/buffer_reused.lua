scenario { ranks = 2, outcome = { wrong = true } }

local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16)
stream:delay(1e-3)
world:all_reduce(x, y)
if rank == 1 then x:fill(7) end -- for the next step
stream:sync()
expect.equal(y, 2)
