scenario {
  about  = "the mended window_missing_rank: registration is for all ranks, whoever is written to",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 64, { memory = "nccl" })
local w = world:window(x, { symmetric = true })
w:deregister()
