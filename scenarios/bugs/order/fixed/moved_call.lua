scenario {
  about   = "the mended moved_call: the hook only notes, the program reduces at one place",
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 1 } },
}

local metrics = cuda.buffer("float64", 4)

if rank == param.odd then
  metrics:fill(rank)
end
for _, count in ipairs { 256, 64, 16 } do
  world:all_reduce(cuda.buffer("float32", count):fill(1))
end
if rank ~= param.odd then
  metrics:fill(rank)
end
world:all_reduce(metrics)
stream:sync()
expect.equal(metrics, nranks * (nranks - 1) / 2)
