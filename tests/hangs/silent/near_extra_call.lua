scenario { ranks = 3, about = "one rank makes more calls: on a communicator of its own, to one peer, and of nothing" }

local x = cuda.buffer("float32", 8):fill(1)
local own = world:split { color = rank }
for _ = 0, 2 * rank do
  own:all_reduce(x)
end
if rank == 1 then
  world:all_reduce(x, { count = 0 })
  world:send(x, 2)
elseif rank == 2 then
  world:recv(x, 1)
end
world:all_reduce(x)
stream:sync()
