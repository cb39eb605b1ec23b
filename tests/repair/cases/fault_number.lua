-- The number of a fault is that of the calls as the script makes them.
scenario { ranks = 2, outcome = { hang = { culprit = 1, why = "skipped-call" } } }

local x = cuda.buffer("int32", 8):fill(1)
if rank == 1 then fault.slow { rank = 1, call = 2, seconds = 0.005 } end
world:all_reduce(x)
if rank == 0 then world:all_reduce(x) end
stream:sync()
