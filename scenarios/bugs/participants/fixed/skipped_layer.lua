scenario {
  about   = "the mended skipped_layer: every rank gathers every layer, whether it uses it or not",
  params  = { odd = 0, step = 2 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, step = { 1, 3 } },
}

local layers = { 64, 256, 16 }
local used   = 0

for step = 1, 3 do
  for layer, count in ipairs(layers) do
    local shard = cuda.buffer("float32", count):fill(layer)
    world:all_gather(shard, cuda.buffer("float32", count * nranks))
    if not (rank == param.odd and step == param.step and layer == 2) then
      used = used + 1
    end
  end
end
stream:sync()
expect.equal(used, rank == param.odd and 8 or 9)
