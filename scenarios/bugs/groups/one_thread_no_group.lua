scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  about   = "one thread starts two ranks one after the other: the first waits for the second",
  outcome = { hang = { culprit = 0, waiting = { 0 }, why = "one-thread-no-group" } },
}

local id = nccl.unique_id()
for r = 0, 1 do
  cuda.set_device(r)
  nccl.init_rank(2, id, r)
end
