scenario {
  ranks = 1,
  world = false, needs = { gpus = 2 },
  env   = { NCCL_LAUNCH_MODE = "GROUP" },
  about = "launch_mode_group.lua with its calls in a group",
}

local comms, x = nccl.init_all(2), {}
for d = 0, 1 do
  cuda.set_device(d)
  x[d] = cuda.buffer("float32", 8):fill(d + 1)
end

for _ = 1, 2 do
  nccl.group(function()
    for d = 0, 1 do comms[d + 1]:all_reduce(x[d]) end
  end)
end
for d = 0, 1 do comms[d + 1].stream:sync() end
expect.equal(x[0], 6)
