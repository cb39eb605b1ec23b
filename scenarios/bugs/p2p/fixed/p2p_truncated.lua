scenario {
  about   = "the mended p2p_truncated: both sides take the count from the buffer",
  params  = { received = 16 },
  matrix  = { ranks = { 2, 4 }, received = { 16, 63 } },
}

local x = cuda.buffer("float32", 64):fill(rank == 0 and 1 or 0)
if rank == 0 then
  world:send(x, 1)
elseif rank == 1 then
  world:recv(x, 0)
end
stream:sync()
if rank == 1 then
  expect.equal(x, 1)
end
