scenario {
  ranks = 1,
  world = false, needs = { gpus = 2 },
  about = "the mended one_thread_no_group: both starts in one group",
}

local id, comms = nccl.unique_id(), {}
nccl.group(function()
  for r = 0, 1 do
    cuda.set_device(r)
    comms[r] = nccl.init_rank(2, id, r) -- filled in when the group ends
  end
end)
expect.equal(comms[1].rank, 1)
expect.equal(comms[0].nranks, 2)
