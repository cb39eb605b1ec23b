scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  pcall(function()
    if rank == 2 and step == 2 then world:send(x, 7) end
  end)
  world:all_reduce(x)
  world:broadcast(x)
  stream:sync()
end
