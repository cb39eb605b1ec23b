scenario { ranks = 3 }

local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
if rank == 0 then
  for peer = 1, 2 do
    world:send(x, peer, { label = "activation" })
    world:send(y, peer, { label = "gradient" })
  end
elseif rank == 1 then
  world:recv(x, 0, { label = "activation" })
  world:recv(y, 0, { label = "gradient" })
else
  world:recv(y, 0, { label = "gradient" })
  world:recv(x, 0, { label = "activation" })
end
stream:sync()
