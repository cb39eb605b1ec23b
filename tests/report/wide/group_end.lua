scenario { ranks = 1024, about = "every other rank forgets to end its group" }
local x = cuda.buffer("float32", 8)
if rank % 2 == 0 then
  C.ncclGroupStart()
end
world:all_reduce(x)
stream:sync()
