scenario { ranks = 4, about = "several collectives in one group become one launch" }

local grads = {}
for i = 1, 4 do
  grads[i] = cuda.buffer("float32", 10 * i):fill(rank + i)
end
local step = cuda.buffer("int64", 1):fill(rank == 0 and 17 or 0)

-- Nothing is put on the stream before the group ends: to wait for a result inside would be a
-- mistake (see bugs/sync_inside_group.lua). Groups nest; the outermost end counts.
nccl.group(function()
  for _, grad in ipairs(grads) do
    world:all_reduce(grad)
  end
  nccl.group(function()
    world:broadcast(step)
  end)
end)
stream:sync()

for i, grad in ipairs(grads) do
  expect.equal(grad, nranks * i + nranks * (nranks - 1) / 2)
end
expect.equal(step, 17)
