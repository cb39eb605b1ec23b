scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank == 0 then
  store:set("go", 1)
else
  store:get("go")
end
world:all_reduce(x)
stream:sync()
