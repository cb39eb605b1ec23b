scenario { ranks = 3 }

local x = cuda.buffer("float32", 8)
world:all_reduce(x)
if rank ~= 1 then
  world:all_reduce(x)
end
world:finalize()
world:destroy()
