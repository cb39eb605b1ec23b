scenario { ranks = 1, world = false, needs = { gpus = 4 }, about = "one thread drives four GPUs and splits for all of them" }

local all = nccl.init_all(4)
local pair, x = {}, {}

-- Each split waits for all ranks, and here one thread is all ranks: a group lets it come for each.
nccl.group(function()
  for i = 1, 4 do
    pair[i] = all[i]:split { color = (i - 1) // 2 }
    expect.equal(pair[i].state, "pending")
  end
end)

for i = 1, 4 do
  cuda.set_device(i - 1)
  x[i] = cuda.buffer("float32", 4):fill(i)
end
nccl.group(function()
  for i = 1, 4 do
    pair[i]:all_reduce(x[i])
  end
end)
for i = 1, 4 do
  pair[i].stream:sync()
  expect.equal(x[i], i <= 2 and 3 or 7)
end
