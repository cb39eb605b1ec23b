scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("int32", 8)
if rank == 0 then world:send(x, 1) else world:recv(y, 0) end
stream:sync()
if rank == 1 then expect.equal(y, 0x3f800000) end -- the bits of 1.0
