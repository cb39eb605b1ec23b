-- prints: as many bytes, but of another type
-- prints: explain dtype-mismatch
-- prints: undefined
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("int32", 8)
if rank == 0 then world:send(x, 1) else world:recv(y, 0) end
stream:sync()
