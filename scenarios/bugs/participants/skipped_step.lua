scenario {
  about   = "one rank leaves out one step of a loop: every later step of it meets the others' step before",
  bug     = { entry = "A1", thread = { "NVIDIA-NeMo/Automodel#2468", "vllm-project/vllm#48720" },
              nccl = "results are wrong from that step on, and the hang comes only in the last step" },
  params  = { odd = 0, step = 3 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, step = { 1, 3, 5 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.step, waiting = "others",
                      why = "skipped-call" }, findings = 1 }
  end,
}

local grad = cuda.buffer("float32", 256)

for step = 1, 5 do
  grad:fill(step)
  if rank == param.odd and step == param.step then
    goto continue -- "loss is NaN, skip": the calls are alike, and only labels tell the steps apart
  end
  world:all_reduce(grad, { op = "avg", label = "step " .. step })
  stream:sync()
  ::continue::
end
