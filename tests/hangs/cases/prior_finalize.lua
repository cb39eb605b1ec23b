-- One rank ends the communicator and leaves the loop while others go on.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  if rank == 2 and step == 2 then
    world:finalize()
    break
  end
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
