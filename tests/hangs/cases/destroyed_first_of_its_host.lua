-- Rank 2 destroys before the barrier. On its host it is one of two, but all other ranks destroy after the barrier.
scenario { ranks = 4, devices = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 2 then world:destroy() end
barrier()
if rank ~= 2 then world:destroy() end
