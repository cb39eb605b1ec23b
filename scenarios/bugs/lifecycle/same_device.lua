scenario {
  about   = "the device is not set before the init: two ranks of a host share the first one",
  world   = false,
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "H2", thread = "NVIDIA/Megatron-LM#661",
              nccl = "ncclInvalidUsage (duplicate GPU detected) on the two; the others go on and wait" },
  outcome = { error = "ncclInvalidUsage", call = "ncclCommInitRank", rank = 0, findings = 1,
              finding = { rule = "duplicate-device", culprit = { 0, 1 } } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank == 1 then
  cuda.set_device(0) -- what happens by itself where a process sees all GPUs and sets none
end
nccl.init_rank(nranks, store:get("id"), rank)
