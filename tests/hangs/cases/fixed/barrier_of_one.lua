scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
barrier()
if rank >= 0 then
  barrier()
end
world:all_reduce(x)
stream:sync()
