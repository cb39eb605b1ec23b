scenario {
  ranks   = 2,
  about   = "a device scalar is changed while the operation that will read it is on the stream",
  outcome = { wrong = true },
  needs   = { driver = "sim" }, -- what a race yields is certain on the virtual clock only
}

local scale = cuda.buffer("float32", 1):fill(0.5)
local op    = world:premulsum("float32", scale)
local x     = cuda.buffer("float32", 64):fill(2)

stream:delay(1e-3)
world:all_reduce(x, { op = op })
if rank == 1 then
  scale:fill(4) -- for the next step; but this step has not read it yet
end
stream:sync()
expect.equal(x, 2)
