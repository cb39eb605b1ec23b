scenario {
  about   = "a layer that one rank does not need in one step: neither does it gather its weights",
  bug     = { entry = "A1", thread = { "sgl-project/sglang#33289", "pytorch/pytorch#100773" },
              nccl = "gathers of different layers meet: a hang at once, or garbage" },
  params  = { odd = 0, step = 2 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, step = { 1, 3 } },
  outcome = function(run)
    -- Three calls a step; the gather that is left out is the second of its step.
    return { hang = { culprit = run.param.odd, call = 3 * run.param.step - 1, waiting = "all",
                      why = "skipped-call" }, findings = 1 }
  end,
}

local layers = { 64, 256, 16 } -- elements of each layer's shard

for step = 1, 3 do
  for layer, count in ipairs(layers) do
    if rank == param.odd and step == param.step and layer == 2 then
      goto continue -- "no token went to this expert"
    end
    local shard = cuda.buffer("float32", count):fill(layer)
    world:all_gather(shard, cuda.buffer("float32", count * nranks))
    ::continue::
  end
end
stream:sync()
