scenario {
  about  = "the mended destroy_after_abort: all abort, also those that are in the middle of a call",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank ~= param.culprit then
  world:all_reduce(x)
end
world:abort()
