scenario { ranks = 3, about = "a lost call, and an abort on every rank that gets everybody out" }

local x = cuda.buffer("float32", 4):fill(1)
world:all_reduce(x)
stream:sync()

if rank ~= 2 then
  world:all_reduce(x) -- rank 2 has given up, and says so
end
if rank == 2 then
  store:set("give up", true)
else
  store:get("give up")
end
world:abort()
stream:sync()
