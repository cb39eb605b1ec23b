scenario {
  about   = "a device scalar goes back to its pool before the operation that reads it has run",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "L3", nccl = "illegal access, or a factor made of whatever lies there" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = run.param.culprit,
             findings = 1,
             finding = { rule = "illegal-access", culprit = run.param.culprit, waiting = "others", call = 1 } }
  end,
}

local side  = cuda.stream()
local scale = cuda.buffer("float32", 1, { stream = side }):fill(0.5)
local op    = world:premulsum("float32", scale)
local x     = cuda.buffer("float32", 64):fill(2)

stream:delay(1e-3)
world:all_reduce(x, { op = op })
if rank == param.culprit then
  scale:free { stream = side } -- NCCL keeps the pointer only, and reads when the kernel runs
  side:sync()
end
stream:sync()
