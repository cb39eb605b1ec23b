scenario {
  about   = "a launch fails on one rank, which ends; the others wait for it",
  bug     = { entry = "A4", thread = "NVIDIA/nccl#582",
              nccl = "the failed call takes no part: the others wait in the same call" },
  params  = { odd = 2, nth = 2 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, nth = { 2, 3 } },
  outcome = function(run)
    return { error = "ncclSystemError", rank = run.param.odd, call = "ncclAllGather",
             finding = { rule = "error-path", culprit = run.param.odd, call = run.param.nth,
                         waiting = "others" }, findings = 1 }
  end,
}

local x, all = cuda.buffer("int32", 4):fill(rank), cuda.buffer("int32", 4 * nranks)
fault.fail { rank = param.odd, func = "ncclAllGather", nth = param.nth, code = "ncclSystemError" }
for _ = 1, 3 do
  world:all_gather(x, all)
end
stream:sync()
