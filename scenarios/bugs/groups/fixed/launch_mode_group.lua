scenario {
  about  = "the mended launch_mode_group: one thread makes the calls of all its GPUs in a group",
  ranks  = 1, world = false,
  params = { gpus = 2 },
  matrix = { gpus = { 2, 4 } },
  needs  = { gpus = 4 }, env = { NCCL_LAUNCH_MODE = "GROUP" },
}

local comms, x = nccl.init_all(param.gpus), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(1)
end

for _ = 1, 2 do
  nccl.group(function()
    for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
  end)
end
for _, comm in ipairs(comms) do comm.stream:sync() end
expect.equal(x[1], param.gpus ^ 2)
