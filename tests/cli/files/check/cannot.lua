scenario { ranks = 4 }
local x = cuda.buffer("float32", 6):fill(1)
if rank == 0 then world:broadcast(x, { rot = 1 })
elseif rank == 1 then world:broadcast(x, { root = 4 })
elseif rank == 2 then world:reduce_scatter(x)
else x:fil(2) end
