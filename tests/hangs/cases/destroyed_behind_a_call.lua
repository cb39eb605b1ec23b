-- Ranks 0, 1, 3 destroy `other` before their second call on world, rank 2 after it. Ranks 0 and 1 are another host.
scenario { ranks = 4, devices = 2 }
local other = world:split { color = 0, name = "other" }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
other:all_reduce(x)
stream:sync()
if rank ~= 2 then other:destroy() end
world:all_reduce(x)
stream:sync()
if rank == 2 then other:destroy() end
