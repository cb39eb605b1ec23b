scenario {
  ranks = 3,
  about = "uneven work done right: all ranks agree on one more step, or on none",
}

local items = { 2, 5, 3 } -- batches that each rank has
local left  = items[rank % #items + 1]
local grad  = cuda.buffer("float32", 32)
local more  = cuda.buffer("int32", 1)
local steps = 0

-- A rank whose data is used up cannot simply stop: the others would wait for it for ever (see
-- bugs/uneven_steps.lua). It goes on with zeros until nobody has anything left.
while true do
  more:fill(left > 0 and 1 or 0)
  world:all_reduce(more, { op = "max" })
  stream:sync()
  if more[1] == 0 then
    break
  end
  grad:fill(left > 0 and 1 or 0)
  world:all_reduce(grad)
  stream:sync()
  left, steps = left - 1, steps + 1
end
expect.equal(steps, 5)
