scenario {
  about   = "the mended send_before_collective: both before the all-reduce",
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
}

local x, sum = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 4):fill(1)

if param.warm then
  world:all_reduce(sum)
  if rank == 0 then world:send(x, 1) elseif rank == 1 then world:recv(x, 0) end
  stream:sync()
end
if rank == 0 then
  world:send(x, 1)
elseif rank == 1 then
  world:recv(x, 0)
end
world:all_reduce(sum)
stream:sync()
