scenario {
  about   = "two ranks send first and receive afterwards: each waits for the other's receive",
  bug     = { entry = "D1", thread = { "NVIDIA/nccl#479", "NVIDIA/nccl#584", "pytorch/pytorch#129341" },
              nccl = "the first contact with a peer blocks the host; later, large messages block the stream" },
  params  = { a = 0, count = 64 },
  matrix  = { ranks = { 2, 4 }, a = { 0, 2 }, count = { 64, 4194304 } },
  exclude = { { ranks = 2, a = 2 } },
  outcome = function(run)
    local pair = { run.param.a, run.param.a + 1 }
    return { hang = { culprit = pair, waiting = pair, call = 1, why = "p2p-cycle" }, findings = 1 }
  end,
}

if rank // 2 * 2 ~= param.a then return end -- the others have nothing to do with it

local other = rank % 2 == 0 and rank + 1 or rank - 1
local mine, theirs = cuda.buffer("int8", param.count), cuda.buffer("int8", param.count)

world:send(mine, other)
world:recv(theirs, other) -- never called: the send comes back when the peer receives
stream:sync()
