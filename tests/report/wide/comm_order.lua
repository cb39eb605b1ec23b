scenario { ranks = 1024, about = "two communicators in opposite order on the odd ranks, after 100 calls" }
local x = cuda.buffer("float32", 8)
local rows = world:split { color = 0 }
for step = 1, 99 do
  world:all_reduce(x)
end
if rank % 2 == 0 then
  world:all_reduce(x)
  rows:all_reduce(x)
else
  rows:all_reduce(x)
  world:all_reduce(x)
end
stream:sync()
