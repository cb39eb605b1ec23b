scenario {
  about   = "two threads of a rank submit to one stream, a communicator each: who comes first is left to luck",
  matrix  = { ranks = { 2, 4, 8 } },
  needs   = { driver = "sim" }, -- there alone it is certain which thread comes first
  bug     = { entry = "F2", thread = "NVIDIA/nccl#1174",
              nccl = "hangs in those runs in which the threads of one rank get through in another order" },
  outcome = function(run)
    return { hang = { why = "comm-order", culprit = run.nranks == 2 and { 0, 1 } or run.nranks - 1,
                      waiting = "all", call = 2 }, findings = 1 }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()

-- Nothing orders the two threads of a rank but how long their work on the host takes.
local worker = spawn(function()
  sleep(0.002)
  rows:all_reduce(y)
end)
sleep(rank == nranks - 1 and 0.004 or 0.001)
world:all_reduce(x)
worker:join()
stream:sync()
