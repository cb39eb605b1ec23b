-- Rank 0 tells one rank alone to stop.
scenario { ranks = 4 }
local x, stop = cuda.buffer("float32", 8):fill(1), cuda.buffer("int32", 1):fill(rank == 0 and 1 or 0)
for step = 1, 3 do
  if step == 2 and rank == 0 then world:send(stop, 2) end
  if step == 2 and rank == 2 then
    world:recv(stop, 0)
    stream:sync()
    if stop[1] == 1 then break end
  end
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
