scenario {
  about   = "everybody sends to the right, then receives from the left: a wait all around the ring",
  bug     = { entry = "D1", thread = { "pytorch/pytorch#178815", "meta-pytorch/torchrec#4472" },
              nccl = "the first round blocks in the host; later rounds work while messages fit into buffers" },
  params  = { dtype = "float32", warm = false },
  matrix  = { ranks = { 3, 4, 8 }, dtype = { "float32", "bfloat16" }, warm = { false, true } },
  exclude = { { ranks = 3, dtype = "bfloat16" }, { ranks = 4, dtype = "bfloat16" } },
  outcome = function(run)
    local all, call = {}, run.param.warm and 3 or 1
    for r = 0, run.nranks - 1 do all[#all + 1] = r end
    if run.param.warm and run.policy == "typical" then
      return { pass = true, finding = { rule = "p2p-cycle", call = 3, certainty = "luck" } }
    end
    return { hang = { culprit = all, call = call, waiting = "all", why = "p2p-cycle" }, findings = 1 }
  end,
}

local right, left  = (rank + 1) % nranks, (rank - 1) % nranks
local mine, theirs = cuda.buffer(param.dtype, 64):fill(rank), cuda.buffer(param.dtype, 64)

if param.warm then
  nccl.group(function() world:send(mine, right) world:recv(theirs, left) end)
end
world:send(mine, right) -- nobody receives before its own send is done
world:recv(theirs, left)
stream:sync()
