-- Rank 0 broadcasts alone in each step of two.
scenario { ranks = 3, outcome = { hang = { culprit = 0, why = "extra-call" } } }

local x, y = cuda.buffer("int32", 8):fill(1), cuda.buffer("int32", 2)
for _ = 1, 2 do
  if rank == 0 then world:broadcast(y) end
  world:all_reduce(x)
  stream:sync()
end
expect.equal(x, 9)
