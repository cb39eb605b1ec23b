scenario { ranks = 2, about = "a scaled sum with another scalar on each rank, and another number of the operator" }

local x = cuda.buffer("float32", 8):fill(1)
local unused = rank == 1 and world:premulsum("float32", 9) or nil
local op = world:premulsum("float32", 1 + rank)
world:all_reduce(x, { op = op })
stream:sync()
expect.equal(x, 3)
op:destroy()
if unused then
  unused:destroy()
end
