scenario {
  about   = "the batches do not divide evenly: some ranks stop a step earlier",
  bug     = { entry = "A2", thread = { "hiyouga/LlamaFactory#7396", "horovod/horovod#534" },
              nccl = "who has a batch more waits at the end of the epoch; nine steps went well" },
  params  = { batches = 19 },
  matrix  = { ranks = { 2, 3, 4, 8 }, batches = { 19, 29 } },
  outcome = function(run)
    local short, long, steps = {}, {}, run.param.batches // run.nranks
    for r = 0, run.nranks - 1 do
      table.insert(r < run.param.batches % run.nranks and long or short, r)
    end
    local few = #long < #short -- then it is those with a step more that are odd
    return { hang = { culprit = few and long or short, call = steps + 1, waiting = long,
                      why = few and "extra-call" or "skipped-call" }, findings = 1 }
  end,
}

local mine = param.batches // nranks + (rank < param.batches % nranks and 1 or 0)
local grad = cuda.buffer("float32", 256):fill(1)

for step = 1, mine do -- not the same on every rank. basics/split_work.lua does it right
  world:all_reduce(grad, { op = "avg", label = "step " .. step })
  stream:sync()
end
