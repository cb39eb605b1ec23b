scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  about   = "the mended one_thread_collectives: the calls of all GPUs are one group",
  params  = { gpus = 2 },
  matrix  = { gpus = { 2, 4, 8 } },
}

local comms, bufs = nccl.init_all(param.gpus), {}
for r = 1, param.gpus do
  cuda.set_device(r - 1)
  bufs[r] = cuda.buffer("float32", 64):fill(r)
end
nccl.group(function()
  for r = 1, param.gpus do
    comms[r]:all_reduce(bufs[r])
  end
end)
for r = 1, param.gpus do
  comms[r].stream:sync()
  expect.equal(bufs[r], param.gpus * (param.gpus + 1) / 2)
end
