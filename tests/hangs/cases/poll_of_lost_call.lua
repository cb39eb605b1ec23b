scenario { ranks = 2, outcome = { hang = { waiting = 0 } } }

local x = cuda.buffer("int32", 4):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  world:all_reduce(x)
  while not stream:query() do
  end
end
