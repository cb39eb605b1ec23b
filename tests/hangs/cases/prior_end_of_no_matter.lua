-- Another communicator is destroyed; this one only where the program ends, behind the call that is left out.
scenario { ranks = 4 }
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 2 then pair:destroy() end
if rank ~= 2 then
  world:broadcast(x)
end
stream:sync()
world:destroy()
