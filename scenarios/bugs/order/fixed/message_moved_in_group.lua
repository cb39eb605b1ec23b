scenario {
  about  = "the mended message_moved_in_group: the send comes after the collective, as the receive does",
  params = { grouped = true },
  matrix = { ranks = { 2, 4 }, grouped = { true, false } },
}

local x, y, z = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64), cuda.buffer("float32", 64):fill(3)

local function receive()
  world:all_reduce(x)
  if rank == 1 then world:recv(y, 0) end
end

if rank == 0 then
  nccl.group(function()
    world:all_reduce(x)
    world:send(z, 1)
  end)
elseif param.grouped then
  nccl.group(receive)
else
  receive()
end
stream:sync()
expect.equal(x, nranks)
if rank == 1 then expect.equal(y, 3) end
