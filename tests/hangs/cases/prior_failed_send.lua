-- A send to a rank that is none fails; the error is caught, and with it what comes behind the send is left out.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  pcall(function()
    if rank == 2 and step == 2 then world:send(x, 7) end
    world:all_reduce(x)
  end)
  world:broadcast(x)
  stream:sync()
end
