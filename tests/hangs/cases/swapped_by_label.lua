scenario { ranks = 3 }

local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
if rank == 1 then
  world:all_reduce(y, { label = "y" })
  world:all_reduce(x, { label = "x" })
else
  world:all_reduce(x, { label = "x" })
  world:all_reduce(y, { label = "y" })
end
stream:sync()
