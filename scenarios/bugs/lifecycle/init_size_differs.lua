scenario {
  about   = "one rank believes that the communicator has one rank fewer than the others believe",
  needs   = { driver = "sim" },
  world   = false,
  params  = { scalable = false },
  matrix  = { ranks = { 3, 4, 8 }, scalable = { false, true } },
  bug     = { entry = "H2", thread = "NVIDIA/nccl#453",
              nccl = "the rendezvous stops serving with a warning: who is in it stands for ever" },
  outcome = { hang = { why = "init-clash", culprit = 1, waiting = "all" }, findings = 1 },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
elseif rank == 1 then
  sleep(1) -- the last: whoever comes to a broken rendezvous would get an error instead
end
local size = rank == 1 and nranks - 1 or nranks -- counted without itself
local id = store:get("id")
nccl.init_rank(size, param.scalable and { id } or id, rank)
