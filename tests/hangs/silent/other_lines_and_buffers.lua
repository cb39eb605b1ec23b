-- Ranks may call from other lines and with other buffers as long as all comes out right.
scenario { ranks = 4 }
local x, y = cuda.buffer("int32", 4):fill(1), cuda.buffer("int32", 4):fill(1)
if rank == 3 then
  world:all_reduce(y)
  world:all_reduce(x)
else
  world:all_reduce(x)
  world:all_reduce(y)
end
stream:sync()
expect.equal(x, 4)
expect.equal(y, 4)
