-- Three communicators of all ranks. Ranks 1 and 4 begin with the last one.
scenario { ranks = 6, outcome = { hang = { culprit = { 1, 4 } } } }
local a = world:split { color = 0, name = "a" }
local b = world:split { color = 0, name = "b" }
local c = world:split { color = 0, name = "c" }
local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 or rank == 4 then
  c:all_reduce(x)
  a:all_reduce(x)
  b:all_reduce(x)
else
  a:all_reduce(x)
  b:all_reduce(x)
  c:all_reduce(x)
end
stream:sync()
