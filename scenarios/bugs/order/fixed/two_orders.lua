scenario {
  about   = "the mended two_orders: sorted by name before it communicates",
  matrix  = { ranks = { 2, 4, 8 } },
}

local names = { "bias", "weight" }
if rank % 2 == 1 then
  names = { "weight", "bias" }
end
table.sort(names)

local count = { weight = 1024, bias = 32 }
for _, name in ipairs(names) do
  world:all_reduce(cuda.buffer("float32", count[name]):fill(1), { label = name })
end
stream:sync()
