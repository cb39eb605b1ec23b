scenario {
  about   = "the mended refilled_too_early: the refill follows the launch in its stream",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 2, 4 } },
}

local input = cuda.buffer("float32", 16):fill(1)
local sum, copy = cuda.buffer("float32", 16), cuda.buffer("float32", 16)
local step = cuda.graph(stream, function()
  stream:delay(1e-3)
  world:all_reduce(input, sum)
end)
step:launch(stream)
stream:sync()
input:fill(2, { stream = stream })
copy:copy_from(sum)
expect.equal(copy, nranks)
step:launch(stream) -- a relaunch while the last launch runs would follow it
step:launch(stream)
stream:sync()
expect.equal(sum, 2 * nranks)
step:destroy()
