scenario {
  about   = "two messages to one peer, received in the other order: there are no tags",
  bug     = { entry = "D4", thread = { "NVIDIA/Megatron-LM#1495", "NVIDIA/Megatron-LM#1451" },
              nccl = "messages of one pair match in their order: the data is exchanged, and nothing says so" },
  params  = { group = true, dst = 1 },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, group = { true, false } },
  exclude = { { ranks = 2, dst = 3 } },
  outcome = function(run)
    return { wrong = { rank = run.param.dst },
             finding = { rule = "message-order", culprit = { 0, run.param.dst }, call = 1 } }
  end,
}

local activation = cuda.buffer("float32", 8):fill(rank == 0 and 1 or 0)
local gradient   = cuda.buffer("float32", 8):fill(rank == 0 and 2 or 0)

local function exchange()
  if rank == 0 then
    world:send(activation, param.dst, { label = "activation" })
    world:send(gradient, param.dst, { label = "gradient" })
  elseif rank == param.dst then
    world:recv(gradient, 0, { label = "gradient" })
    world:recv(activation, 0, { label = "activation" })
  end
end

if param.group then nccl.group(exchange) else exchange() end -- a group makes no difference here
stream:sync()
if rank == 0 or rank == param.dst then
  expect.equal(activation, 1)
  expect.equal(gradient, 2)
end
