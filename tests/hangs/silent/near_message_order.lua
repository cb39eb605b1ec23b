scenario { ranks = 3, about = "labels that the sides give in their own words, and messages of different peers in any order" }

local x, y, z = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8), cuda.buffer("float32", 8)
nccl.group(function()
  if rank == 0 then
    world:send(x, 1, { label = "first" })
    world:send(x, 1, { label = "second" })
    world:send(x, 2, { label = "to 2" })
    world:recv(y, 2, { label = "to 0" })
  elseif rank == 1 then
    world:recv(y, 0, { label = "from 0" })
    world:recv(z, 0, { label = "from 0" })
  else
    world:send(x, 0, { label = "to 0" })
    world:recv(y, 0, { label = "to 2" })
  end
end)
stream:sync()
