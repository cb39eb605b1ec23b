scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank >= 0 then
  barrier()
end
local half = world:split { color = rank % 2 }
half:all_reduce(x)
stream:sync()
