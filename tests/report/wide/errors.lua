scenario { ranks = 1024, about = "every other rank ends with an error of its own" }
local x = cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank % 2 == 1 then
  error("rank " .. rank .. " has no data")
end
world:all_reduce(x)
stream:sync()
