scenario {
  about  = "the mended early_destroy: every rank destroys the communicator behind its last call on it",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
for _ = 1, 2 do
  world:all_reduce(x)
end
stream:sync()
world:destroy()
expect.equal(x, nranks ^ 2)
