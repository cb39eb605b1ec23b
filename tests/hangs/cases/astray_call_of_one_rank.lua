-- One rank alone makes a call at a line that no other rank ever reaches.
scenario { ranks = 4 }
local g, flag = cuda.buffer("float32", 64):fill(1), cuda.buffer("int32", 1):fill(0)
for step = 1, 4 do
  world:all_reduce(g)
  if rank == 0 and step == 2 then
    world:all_reduce(flag)
    stream:sync()
  end
end
stream:sync()
