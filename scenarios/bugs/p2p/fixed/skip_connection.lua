scenario {
  about   = "the mended skip_connection: what a predecessor waits for goes out first",
  matrix  = { ranks = { 3, 4 } },
}

local x, skip, hint = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16), cuda.buffer("int8", 1)

if rank == 0 then
  world:send(x, 2)
elseif rank == 1 then
  world:recv(hint, 2)
  world:send(x, 2)
elseif rank == 2 then
  world:send(hint, 1)
  nccl.group(function()
    world:recv(skip, 0)
    world:recv(x, 1)
  end)
end
stream:sync()
