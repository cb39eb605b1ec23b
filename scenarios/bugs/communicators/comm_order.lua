scenario {
  about   = "two communicators on one stream, and the last rank uses them in the opposite order",
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
  bug     = { entry = "F1", thread = "NVIDIA/nccl#195",
              nccl = "hangs; at first contact in the call, later in the wait for the stream" },
  outcome = function(run)
    return { hang = { why = "comm-order", culprit = run.nranks == 2 and { 0, 1 } or 3, waiting = "all",
                      call = run.param.warm and 2 or 1 }, findings = 1 }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

if param.warm then -- once through in the same order: both are set up, and calls return at once
  world:all_reduce(x)
  rows:all_reduce(y)
end

if rank < nranks - 1 then
  world:all_reduce(x)
  rows:all_reduce(y)
else -- its call on world is behind its call on rows, the others' the other way round
  rows:all_reduce(y)
  world:all_reduce(x)
end
stream:sync()
