scenario {
  about   = "the mended swapped_buckets: rank 0's order is everybody's",
  params  = { odd = 0, step = 1 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, step = { 1, 3 } },
}

local buckets = { 64, 512, 128, 32 }
local order   = cuda.buffer("int32", 4)

for step = 1, 3 do
  local ready = { 1, 2, 3, 4 }
  if rank == param.odd and step == param.step then
    ready = { 1, 4, 3, 2 }
  end
  world:broadcast(order:fill(ready))
  stream:sync()
  for _, i in ipairs(order:get()) do
    world:all_reduce(cuda.buffer("float16", buckets[i]):fill(1))
  end
end
stream:sync()
