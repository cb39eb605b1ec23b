scenario {
  ranks   = 1,
  world   = false, needs = { gpus = 2 },
  about   = "the mended one_thread_no_group: all starts in one group",
  params  = { gpus = 2 },
  matrix  = { gpus = { 2, 4, 8 } },
}

local id, comms = nccl.unique_id(), {}
nccl.group(function()
  for r = 0, param.gpus - 1 do
    cuda.set_device(r)
    comms[r] = nccl.init_rank(param.gpus, id, r) -- filled in when the group ends
  end
end)
expect.equal(comms[param.gpus - 1].rank, param.gpus - 1)
