scenario {
  about   = "the mended p2p_count: the count goes first",
  params  = { dst = 1, sent = 1024 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, sent = { 1, 1024 } },
  exclude = { { ranks = 2, dst = 3 } },
}

local x, count = cuda.buffer("float32", 2048):fill(1), cuda.buffer("int32", 1)
if rank == 0 then
  world:send(count:fill(param.sent), param.dst)
  world:send(x, param.dst, { count = param.sent })
elseif rank == param.dst then
  world:recv(count, 0)
  stream:sync()
  world:recv(x, 0, { count = count[1] })
end
stream:sync()
