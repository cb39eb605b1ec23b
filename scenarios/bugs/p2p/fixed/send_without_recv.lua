scenario {
  about   = "the mended send_without_recv: as many receives as sends",
  params  = { dst = 1, warm = 0 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, warm = { 0, 2 } },
  exclude = { { ranks = 2, dst = 3 } },
}

local x = cuda.buffer("float32", 1024):fill(1)
for _ = 1, param.warm + 1 do
  if rank == 0 then world:send(x, param.dst) elseif rank == param.dst then world:recv(x, 0) end
end
stream:sync()
