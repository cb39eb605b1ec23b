scenario {
  needs   = { driver = "sim" },
  about   = "a stage receives from all its predecessors in one group, before it sends what one of them needs",
  bug     = { entry = "D5", thread = { "pytorch/PiPPy#969", "pytorch/pytorch#174288" },
              nccl = "the stages wait for each other through a group that is half done" },
  matrix  = { ranks = { 3, 4 } },
  outcome = function(run)
    local waiting = run.policy == "typical" and { 1, 2 } or { 0, 1, 2 } -- is the skip buffered?
    return { hang = { culprit = { 1, 2 }, call = 1, waiting = waiting, why = "p2p-cycle" }, findings = 1 }
  end,
}

local x, skip, hint = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16), cuda.buffer("int8", 1)

if rank == 0 then
  world:send(x, 2)    -- the skip connection
elseif rank == 1 then
  world:recv(hint, 2) -- stage 1 needs a word from stage 2 before it computes
  world:send(x, 2)
elseif rank == 2 then
  nccl.group(function()
    world:recv(skip, 0)
    world:recv(x, 1)
  end)
  world:send(hint, 1)
end
stream:sync()
