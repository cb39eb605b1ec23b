scenario {
  about  = "the mended unwritten_copy: every rank loads its weights",
  matrix = { ranks = { 1, 2, 4 } },
}

local n       = 64
local weights = cuda.buffer("float32", n)
local shadow  = cuda.buffer("float32", n)
local saved   = cuda.buffer("float32", n, { memory = "pinned" })
weights:fill(rank)

shadow:copy_from(weights, { stream = stream })
saved:copy_from(shadow, { stream = stream })
stream:sync()
expect.equal(saved, rank)
