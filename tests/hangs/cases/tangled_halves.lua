-- Half of the ranks have the other order. At step 1 all had one order, so those that have another one since are likelier.
scenario { ranks = 4, outcome = { hang = { culprit = { 0, 3 }, why = "comm-order" } } }
local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  if step == 2 and (rank == 0 or rank == 3) then
    rows:all_reduce(y)
    world:all_reduce(x)
  else
    world:all_reduce(x)
    rows:all_reduce(y)
  end
  stream:sync()
end
