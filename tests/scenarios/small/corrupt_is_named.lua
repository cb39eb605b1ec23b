-- prints: fault.corrupt at line 4 changed what the call wrote
scenario { ranks = 2, outcome = { wrong = { rank = 0 } }, needs = { driver = "sim" } }
local x = cuda.buffer("float32", 4):fill(rank + 1)
if rank == 0 then fault.corrupt { call = 1, first = 2, count = 1 } end
world:all_reduce(x)
stream:sync()
