-- Ranks 1 and 2 of one host destroy the communicators in the other order.
scenario { ranks = 5, devices = 5, outcome = { hang = { culprit = { 1, 2 }, why = "destroy-order" } } }
local a, b = world:split { color = 0, name = "a" }, world:split { color = 0, name = "b" }
local x = cuda.buffer("float32", 8):fill(1)
a:all_reduce(x)
b:all_reduce(x)
stream:sync()
if rank == 1 or rank == 2 then a, b = b, a end
a:destroy()
b:destroy()
