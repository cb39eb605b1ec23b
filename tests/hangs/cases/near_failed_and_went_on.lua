-- A rank that communicates after a failure has recovered from it.
scenario { ranks = 3, outcome = { hang = true } }

local x = cuda.buffer("float32", 16):fill(1)
if rank == 1 then
  pcall(cuda.buffer, "float32", 2^42)
end
world:all_reduce(x)
if rank ~= 1 then
  world:all_reduce(x)
end
stream:sync()
