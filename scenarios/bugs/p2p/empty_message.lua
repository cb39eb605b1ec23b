scenario {
  needs   = { driver = "sim" },
  about   = "messages without elements are left out by the sender, but not by the receiver",
  bug     = { entry = "D2", thread = { "NVIDIA/nccl#1593", "pytorch/pytorch#146468" },
              nccl = "the receive of nothing waits for its peer all the same, at least on first contact" },
  params  = { from = 0 },
  matrix  = { ranks = { 2, 4 }, from = { 0, 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.from, call = 1, waiting = 1 - run.param.from,
                      why = "recv-without-send" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 8)
local have = 0 -- elements for the peer

if rank == param.from and have > 0 then -- "nothing to send, nothing to do"
  world:send(x, 1 - rank, { count = have })
elseif rank == 1 - param.from then
  world:recv(x, param.from, { count = have })
end
stream:sync()
