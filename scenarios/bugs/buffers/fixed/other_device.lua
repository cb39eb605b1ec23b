scenario {
  about   = "the mended other_device: memory is allocated on the rank's own device; pinned memory has none",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 2, 4 } },
}

cuda.set_device(rank)
local x = cuda.buffer("float32", 64):fill(1)
local y = cuda.buffer("float32", 64, { memory = "pinned", device = 0 }):fill(1)
world:all_reduce(x)
world:all_reduce(x)
world:all_reduce(y, x)
stream:sync()
expect.equal(x, nranks)
