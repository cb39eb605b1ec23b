-- Rank 1 goes on as all ranks did at step 1, the others have another order since: who is wrong is not known.
scenario { ranks = 4, outcome = { hang = { why = "comm-order" } } }
local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  if step == 2 and rank ~= 1 then
    rows:all_reduce(y)
    world:all_reduce(x)
  else
    world:all_reduce(x)
    rows:all_reduce(y)
  end
  stream:sync()
end
