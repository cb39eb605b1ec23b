scenario {
  about   = "a device scalar is changed while the operation that will read it is on the stream",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" }, -- what a race yields is certain on the virtual clock only
  bug     = { entry = "L3",
              nccl = "no error: the value at the time of execution counts, and ranks use different factors" },
  outcome = function(run)
    return { wrong = { rank = 0 }, findings = 1,
             finding = { rule = "stale-scalar", culprit = run.param.culprit, call = 1 } }
  end,
}

local scale = cuda.buffer("float32", 1):fill(0.5)
local op    = world:premulsum("float32", scale)
local x     = cuda.buffer("float32", 64):fill(2)

stream:delay(1e-3)
world:all_reduce(x, { op = op })
if rank == param.culprit then
  scale:fill(4) -- for the next step; but this step has not read it yet
end
stream:sync()
expect.equal(x, nranks)
