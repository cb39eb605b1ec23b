scenario {
  about   = "one stream computes what another one reduces, and on one rank no event is between them",
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "G2", thread = "NVIDIA/nccl#1976",
              nccl = "no error; now and then the sums of all ranks have old values in them" },
  outcome = function(run)
    return { wrong = { rank = 0 }, findings = 1,
             finding = { rule = "unordered-input", culprit = run.param.culprit, call = 1 } }
  end,
}

local x = cuda.buffer("float32", 1024):fill(0)
local gradients = cuda.buffer("float32", 1024):fill(rank + 1)
local compute, ready = cuda.stream(), cuda.event()

compute:delay(rank == param.culprit and 2e-3 or 1e-3) -- the backward pass
x:copy_from(gradients, { stream = compute })
ready:record(compute)
if rank ~= param.culprit then
  stream:wait(ready) -- left out on one rank: there the old x is sent
end
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks + 1) / 2)
