-- Two of five ranks use the communicators in the other order, with a wait between: no rank could break all cycles alone.
scenario { ranks = 5, outcome = { hang = { culprit = { 1, 3 }, why = "comm-order" } } }
local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
local function both(first, a, second, b)
  first:all_reduce(a)
  stream:sync()
  second:all_reduce(b)
  stream:sync()
end
both(world, x, rows, y)
if rank == 1 or rank == 3 then both(rows, y, world, x) else both(world, x, rows, y) end
