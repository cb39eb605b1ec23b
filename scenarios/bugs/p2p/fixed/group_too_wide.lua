scenario { ranks = 2, about = "the mended group_too_wide: no group wider than what depends on it" }

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(2)
local credit = cuda.buffer("int32", 1):fill(1)

if rank == 0 then
  world:send(x, 1)
  world:recv(credit, 1)
  world:send(y, 1)
else
  world:recv(x, 0)
  world:send(credit, 0)
  world:recv(y, 0)
end
stream:sync()
expect.equal(y, 2)
