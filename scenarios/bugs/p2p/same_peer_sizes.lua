scenario {
  about   = "two messages of different sizes to one peer, received in the other order",
  bug     = { entry = "D4", thread = { "NVIDIA/Megatron-LM#1484", "NVIDIA/Megatron-LM#1485" },
              nccl = "the small message fills a part of the large receive, which waits for the rest" },
  params  = { large = 64 },
  matrix  = { ranks = { 2, 4 }, large = { 64, 4096 } },
  outcome = { hang = { culprit = { 0, 1 }, call = 1, waiting = { 0, 1 }, why = "p2p-count-mismatch" },
              findings = 1 },
}

local shape = cuda.buffer("int64", 4):fill(rank)
local data  = cuda.buffer("int64", param.large):fill(rank)

nccl.group(function()
  if rank == 0 then
    world:send(shape, 1)
    world:send(data, 1)
  elseif rank == 1 then
    world:recv(data, 0)
    world:recv(shape, 0) -- the shape was sent first
  end
end)
stream:sync()
