-- A call that failed on all ranks is not the reason why one of them leaves.
scenario { ranks = 3, outcome = { hang = true } }

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
pcall(cuda.buffer, "float32", 2^42)
if rank ~= 1 then
  world:all_reduce(x)
end
stream:sync()
