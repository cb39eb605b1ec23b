scenario {
  about  = "the mended freed_scalar: the scalar goes back in the order of the stream that reads it",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local side  = cuda.stream()
local scale = cuda.buffer("float32", 1, { stream = side }):fill(0.5)
local op    = world:premulsum("float32", scale)
local x     = cuda.buffer("float32", 64):fill(2)

stream:delay(1e-3)
world:all_reduce(x, { op = op })
if rank == param.culprit then
  scale:free { stream = stream }
end
stream:sync()
expect.equal(x, nranks)
