scenario { ranks = 4 }

local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank ~= 2 then
  world:send(x, 2)
end
stream:sync()
