scenario {
  about   = "one side of an exchange groups its send and receive, the other side does not",
  bug     = { entry = "E5", thread = "NVIDIA/nccl#1279",
              nccl = "undefined: the calls of the group may block each other; internal errors were seen" },
  params  = { recv_first = false }, -- on the side that has a group, where it does not matter
  matrix  = { ranks = { 2, 4 }, recv_first = { false, true } },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0,
             finding = { rule = "group-differs", culprit = all, call = 1, certainty = "undefined" } }
  end,
}

local peer = rank ~ 1
local x, y = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

if rank % 2 == 0 then
  nccl.group(function()
    if param.recv_first then world:recv(y, peer) end
    world:send(x, peer)
    if not param.recv_first then world:recv(y, peer) end
  end)
else
  world:send(x, peer) -- ends only if the peer's receive does not wait for the peer's send
  world:recv(y, peer)
end
stream:sync()
expect.equal(y, peer)
