scenario { ranks = 2, outcome = { wrong = true } }

local x, side = cuda.buffer("int32", 16):fill(0), cuda.stream()
side:delay((1 + rank) * 1e-3)
x:fill(1, { stream = side })
if rank == 0 then side:sync() end -- rank 1 forgets it
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)
