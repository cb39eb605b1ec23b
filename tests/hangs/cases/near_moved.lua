-- A call made once too often, in a loop that makes the like of it again: none is moved.
scenario { ranks = 3, outcome = { hang = true } }

local a, b = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  world:all_reduce(a)
  world:all_reduce(b)
  if rank == 1 and step == 1 then
    world:all_reduce(b)
  end
end
stream:sync()
