scenario {
  about   = "the mended send_to_self: both in one group",
  params  = { odd = 0 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16)

if rank == param.odd then
  nccl.group(function()
    world:send(x, rank)
    world:recv(y, rank)
  end)
  stream:sync()
  expect.equal(y, 1)
end
