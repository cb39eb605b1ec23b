scenario {
  about = "the mended launch_race: the second thread begins when the first is done",
  ranks = 1, world = false, needs = { gpus = 2 },
  env   = { NCCL_LAUNCH_MODE = "GROUP" },
}

local comms, x = nccl.init_all(2), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(1)
end
nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)

local worker = spawn(function()
  for _ = 1, 2 do
    spawn(function() comms[1]:all_reduce(x[1]) end):join()
  end
end)
for _ = 1, 2 do comms[2]:all_reduce(x[2]) end
worker:join()
comms[2].stream:sync()
expect.equal(x[2], 8)
