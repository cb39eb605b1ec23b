scenario {
  about   = "one rank leaves out the gradient of a layer that it does not use, in every step",
  bug     = { entry = "A1", thread = { "pytorch/pytorch#100773", "NVIDIA-NeMo/Automodel#2468" },
              nccl = "gradients of different layers are added up, and the hang comes only after the last step" },
  params  = { odd = 2, layer = 1, named = "label" },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, layer = { 1, 2, 3 }, named = { "label", "line" } },
  outcome = function(run)
    -- Three calls a step, of the last layer first: the first that is missing is in the first step.
    return { hang = { culprit = run.param.odd, call = 4 - run.param.layer, waiting = "others",
                      why = "skipped-call" }, findings = 1 }
  end,
}

local gradient = {}
for layer = 1, 3 do
  gradient[layer] = cuda.buffer("float32", 64):fill(rank)
end

local function used(layer)
  return not (rank == param.odd and layer == param.layer)
end

for step = 1, 3 do
  if param.named == "label" then
    for layer = 3, 1, -1 do
      if used(layer) then -- "the parameter takes no part in the loss": it has no gradient
        world:all_reduce(gradient[layer], { label = "grad " .. layer })
      end
    end
  else
    if used(3) then world:all_reduce(gradient[1]) end
    if used(2) then world:all_reduce(gradient[1]) end
    if used(1) then world:all_reduce(gradient[1]) end
  end
end
stream:sync()
