scenario {
  about   = "the mended same_peer_order: received in the order in which they are sent",
  params  = { group = true, dst = 1 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, group = { true, false } },
  exclude = { { ranks = 2, dst = 3 } },
}

local activation = cuda.buffer("float32", 8):fill(rank == 0 and 1 or 0)
local gradient   = cuda.buffer("float32", 8):fill(rank == 0 and 2 or 0)

local function exchange()
  if rank == 0 then
    world:send(activation, param.dst, { label = "activation" })
    world:send(gradient, param.dst, { label = "gradient" })
  elseif rank == param.dst then
    world:recv(activation, 0, { label = "activation" })
    world:recv(gradient, 0, { label = "gradient" })
  end
end

if param.group then nccl.group(exchange) else exchange() end
stream:sync()
if rank == 0 or rank == param.dst then
  expect.equal(activation, 1)
  expect.equal(gradient, 2)
end
