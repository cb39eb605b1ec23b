scenario {
  about   = "a second communicator is started from the id of the first",
  needs   = { driver = "sim" },
  world   = false,
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "H3", thread = "NVIDIA/nccl#1038",
              nccl = "nobody serves the id any more: the second init retries, and then fails or hangs" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { error = "ncclRemoteError", call = "ncclCommInitRankConfig", rank = 0, findings = 1,
             finding = { rule = "reused-id", culprit = all } }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
local data = nccl.init_rank(nranks, id, rank, { name = "data" })
local model = nccl.init_rank(nranks, id, rank, { name = "model" }) -- an id is good for one communicator
expect.equal(model.nranks, data.nranks)
