scenario {
  about   = "opposite order on streams of their own: a device that is full has no room for the second",
  matrix  = { ranks = { 2, 4 } },
  sim     = { lanes = 1 }, needs = { driver = "sim" },
  bug     = { entry = "F1", thread = "NVIDIA/nccl#1192",
              nccl = "passes while both kernels fit on the device, hangs at random where they do not" },
  outcome = function(run)
    return { hang = { why = "comm-order", culprit = run.nranks == 2 and { 0, 1 } or 3, waiting = "all",
                      call = 2 }, findings = 1 }
  end,
}

local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

-- Once through in the same order, so that both communicators are set up.
world:all_reduce(x)
rows:all_reduce(y)
world.stream:sync()
rows.stream:sync()

if rank < nranks - 1 then
  world:all_reduce(x)
  rows:all_reduce(y)
else -- the streams are independent, but here the device takes rows first and holds no second kernel
  rows:all_reduce(y)
  world:all_reduce(x)
end
world.stream:sync()
rows.stream:sync()
