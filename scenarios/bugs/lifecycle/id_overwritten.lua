scenario {
  about   = "each pair makes an id, and all put theirs under the same key of the store",
  needs   = { driver = "sim" },
  world   = false,
  params  = { own = false },
  matrix  = { ranks = { 4, 6 }, own = { false, true } },
  bug     = { entry = "H3",
              nccl = "more ranks come with one id than it is for: some get an error after a minute, the others wait" },
  outcome = function(run)
    local makers = {}
    for r = 0, run.nranks - 1, 2 do makers[#makers + 1] = r end
    return { error = "ncclRemoteError", findings = 1,
             finding = { rule = "overwritten-id", culprit = makers, certainty = "certain" } }
  end,
}

local id
if rank % 2 == 0 then
  sleep(0.01 * rank)
  id = nccl.unique_id()
  store:set("id", id) -- in place of the other pairs' ids
end
sleep(0.1 * (nranks - rank)) -- by now all have put theirs, and the last one is there
if not (param.own and id) then
  id = store:get("id")
end
nccl.init_rank(2, id, rank % 2)
