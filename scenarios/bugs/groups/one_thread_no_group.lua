scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  about   = "one thread starts several ranks one after the other: the first waits for the others",
  bug     = { entry = "E1", thread = { "NVIDIA/nccl#13", "NVIDIA/nccl#32", "tensorflow/tensorflow#53748" },
              nccl = "hangs in the first ncclCommInitRank, always" },
  params  = { gpus = 2 },
  matrix  = { gpus = { 2, 4, 8 } },
  outcome = { hang = { culprit = 0, waiting = 0, why = "one-thread-no-group" }, findings = 1 },
}

local id = nccl.unique_id()
for r = 0, param.gpus - 1 do
  cuda.set_device(r)
  nccl.init_rank(param.gpus, id, r) -- comes back when all ranks are there
end
