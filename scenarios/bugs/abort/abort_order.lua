scenario {
  about   = "two communicators have work on one stream, and the one behind is aborted first",
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "I2", thread = "NVIDIA/nccl#1013",
              nccl = "stands in the first ncclCommAbort, which waits for the kernel of the other" },
  outcome = function(run)
    return { hang = { why = "abort-order", culprit = run.nranks - 1, comm = "rows", call = 2,
                      waiting = "others" }, findings = 1 }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()

fault.kill { rank = nranks - 1 }
rows:all_reduce(y)
world:all_reduce(x) -- behind the call on rows, which stands
sleep(1)
world:abort()       -- and so this stands, too: rows has to be aborted first, or both in a group
rows:abort()
