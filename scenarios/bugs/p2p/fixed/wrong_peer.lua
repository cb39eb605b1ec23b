scenario {
  about   = "the mended wrong_peer: every stage listens to the one before",
  params  = { odd = 2, dtype = "float16" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 2, 3 }, dtype = { "float16", "int64" } },
  exclude = { { ranks = 3, odd = 3 }, { ranks = 8, dtype = "int64" } },
}

local x = cuda.buffer(param.dtype, 128):fill(rank)

if rank > 0 then
  world:recv(x, rank - 1)
end
if rank < nranks - 1 then
  world:send(x, rank + 1)
end
stream:sync()
expect.equal(x, 0)
