scenario {
  about   = "the mended swapped_calls: one order for all ranks",
  params  = { odd = 1, before = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, before = { 0, 3 } },
}

local weights = cuda.buffer("float32", 8):fill(rank)
local grad    = cuda.buffer("float32", 64):fill(rank)

for _ = 1, param.before do
  world:all_reduce(grad)
end
if rank == param.odd then
  sleep(1e-3) -- late, but in the same order
end
world:all_reduce(grad)
world:broadcast(weights)
stream:sync()
expect.equal(weights, 0)
