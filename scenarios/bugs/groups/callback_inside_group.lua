scenario {
  about   = "a host callback put on the stream inside a group runs before the collective",
  bug     = { entry = "E3", thread = "NVIDIA/nccl#1724",
              nccl = "the callback is on the stream at once, the collective only at the end of the group" },
  matrix  = { ranks = { 2, 4, 8 } },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { wrong = true, findings = 1,
             finding = { rule = "enqueued-inside-group", culprit = all, call = 1 } }
  end,
}

local x, seen = cuda.buffer("int32", 1, { memory = "pinned" }):fill(1), nil
local y = cuda.buffer("int32", 1):fill(1)
nccl.group(function()
  world:all_reduce(y)
  x:copy_from(y, { stream = stream })
  stream:callback(function() seen = true end) -- "done": but nothing has been launched
end)
stream:sync()
expect.equal(x, nranks)
