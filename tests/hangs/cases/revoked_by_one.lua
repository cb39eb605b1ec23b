scenario { ranks = 3 }

local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  sleep(0.1)
  world:revoke()
else
  world:all_reduce(x)
  stream:sync()
end
barrier()
