scenario {
  about   = "half of the ranks go through a table in one order, half in the other: there is no odd rank",
  bug     = { entry = "B1", thread = { "ROCm/rccl#429", "horovod/horovod#2565" },
              nccl = "the calls are not compared: a hang, garbage, or one network complains of a size" },
  matrix  = { ranks = { 2, 4, 8 } },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do
      all[#all + 1] = r
    end
    return { hang = { culprit = all, call = 1, waiting = "all", why = "swapped-calls" }, findings = 1 }
  end,
}

local names = { "bias", "weight" } -- as a hash table yields them: in no order that can be relied on
if rank % 2 == 1 then
  names = { "weight", "bias" }
end

local count = { weight = 1024, bias = 32 }
for _, name in ipairs(names) do
  world:all_reduce(cuda.buffer("float32", count[name]):fill(1), { label = name })
end
stream:sync()
