scenario { ranks = 1024, about = "three ranks die" }
local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank % 400 == 17 then
  fault.kill()
end
world:all_reduce(x)
stream:sync()
