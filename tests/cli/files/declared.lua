scenario { ranks = 4, outcome = { hang = { culprit = 2, call = 3 } } }

local x = cuda.buffer("float32", 1024):fill(1)

for step = 1, 3 do
  if not (step == 3 and rank == 2) then
    world:all_reduce(x)
  end
end
stream:sync()
