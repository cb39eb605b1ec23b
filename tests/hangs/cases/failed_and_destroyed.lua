-- It tidies up and leaves: the failure is the cause, not the destroy.
scenario { ranks = 3, outcome = { hang = true } }

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
if rank == 1 and not pcall(cuda.buffer, "float32", 2^42) then
  world:destroy()
  return
end
world:all_reduce(x)
stream:sync()
