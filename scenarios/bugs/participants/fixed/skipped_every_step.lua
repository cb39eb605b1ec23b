scenario {
  about   = "the mended skipped_every_step: every rank reduces every layer's gradient, whether it uses it or not",
  params  = { odd = 2, layer = 1, named = "label" },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, layer = { 1, 2, 3 }, named = { "label", "line" } },
}

local gradient = {}
for layer = 1, 3 do
  local used = not (rank == param.odd and layer == param.layer)
  gradient[layer] = cuda.buffer("float32", 64):fill(used and rank or 0)
end

for step = 1, 3 do
  if param.named == "label" then
    for layer = 3, 1, -1 do
      world:all_reduce(gradient[layer], { label = "grad " .. layer })
    end
  else
    world:all_reduce(gradient[1])
    world:all_reduce(gradient[1])
    world:all_reduce(gradient[1])
  end
end
stream:sync()
