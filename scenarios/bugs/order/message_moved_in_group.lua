scenario {
  about   = "a group has a send before a collective, but the peer receives after the collective",
  bug     = { entry = "B3",
              nccl = "runs the collectives of a group first, so it works by luck; the guide asks for one order" },
  params  = { grouped = true },
  matrix  = { ranks = { 2, 4 }, grouped = { true, false } },
  outcome = { pass = true, findings = 0,
              finding = { rule = "group-order", culprit = { 0, 1 }, call = 1, certainty = "undefined" } },
}

local x, y, z = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64), cuda.buffer("float32", 64):fill(3)

local function receive()
  world:all_reduce(x)
  if rank == 1 then world:recv(y, 0) end
end

if rank == 0 then
  nccl.group(function()
    world:send(z, 1)
    world:all_reduce(x)
  end)
elseif param.grouped then
  nccl.group(receive)
else
  receive()
end
stream:sync()
