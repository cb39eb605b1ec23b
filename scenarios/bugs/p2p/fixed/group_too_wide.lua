scenario {
  about   = "the mended group_too_wide: no group wider than what depends on it",
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(2)
local credit = cuda.buffer("int32", 1):fill(1)

if param.warm and rank < 2 then
  nccl.group(function() world:send(x, 1 - rank) world:recv(y, 1 - rank) end)
end
if rank == 0 then
  world:send(x, 1)
  world:recv(credit, 1)
  world:send(y, 1)
elseif rank == 1 then
  world:recv(x, 0)
  world:send(credit, 0)
  world:recv(y, 0)
end
stream:sync()
