scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  about   = "one thread launches a collective on one GPU after the other, without a group",
  bug     = { entry = "E1", thread = "NVIDIA/nccl#1144",
              nccl = "may block in the first call, by contract; once warm it mostly works" },
  params  = { gpus = 2 },
  matrix  = { gpus = { 2, 4, 8 } },
  outcome = { hang = { culprit = 0, waiting = 0, why = "one-thread-no-group" }, findings = 1 },
}

local comms, bufs = nccl.init_all(param.gpus), {}
for r = 1, param.gpus do
  cuda.set_device(r - 1)
  bufs[r] = cuda.buffer("float32", 64):fill(r)
end
for r = 1, param.gpus do
  comms[r]:all_reduce(bufs[r]) -- waits for the other GPUs, which this thread would come to next
end
for r = 1, param.gpus do
  comms[r].stream:sync()
end
