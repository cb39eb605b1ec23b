scenario {
  about   = "a rank writes the next values into the buffer that an all-reduce on the stream has yet to send",
  params  = { culprit = 1, by = "host" },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 }, by = { "host", "stream" } },
  needs   = { driver = "sim" },
  bug     = { entry = "G3", thread = "pytorch/pytorch#18465",
              nccl = "no error; wrong values on all ranks, for the bad input travels" },
  outcome = function(run)
    return { wrong = { rank = 0 }, findings = 1,
             finding = { rule = "buffer-reused", culprit = run.param.culprit, call = 1 } }
  end,
}

local x    = cuda.buffer("float32", 1024):fill(rank + 1)
local sum  = cuda.buffer("float32", 1024)
local zero = cuda.buffer("float32", 1024):fill(0)
local side = cuda.stream()

stream:delay(1e-3) -- what the all-reduce has to wait for
world:all_reduce(x, sum)
if rank == param.culprit then -- the call has returned, but x is not read yet
  if param.by == "host" then x:fill(0)
  else
    x:copy_from(zero, { stream = side })
    side:sync()
  end
end
stream:sync()
expect.equal(sum, nranks * (nranks + 1) / 2)
