-- Tensor and data parallel ranks. Ranks 2 and 4 use the two communicators in the other order at step 2. In the tangle of waits
-- there are cycles through ranks 1 and 5, which do as most ranks do.
scenario { ranks = 6, outcome = { hang = { culprit = { 2, 4 }, why = "comm-order" } } }
local tp = world:split { color = rank // 3, name = "tp" }
local dp = world:split { color = rank % 3, name = "dp" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  if step == 2 and (rank == 2 or rank == 4) then
    dp:all_reduce(y)
    tp:all_reduce(x)
  else
    tp:all_reduce(x)
    dp:all_reduce(y)
  end
  stream:sync()
end
