scenario { ranks = 5, about = "a ring of sends and receives, grouped" }

local left = (rank - 1) % nranks
local right = (rank + 1) % nranks
local out = cuda.buffer("float16", 64):fill(rank)
local into = cuda.buffer("float16", 64)

for round = 1, 3 do
  nccl.group(function()
    world:send(out, right)
    world:recv(into, left)
  end)
  stream:sync()
  expect.equal(into, left)
  if round > 1 then
    nccl.group(function()
      world:send(out, left, { count = 8 })
      world:recv(into, right, { count = 8 })
    end)
  end
end
world.stream:sync()
