scenario {
  about   = "opposite order on streams of their own, and the device happens to hold both: it works by luck",
  matrix  = { ranks = { 2, 4 } },
  sim     = { lanes = 2 },
  bug     = { entry = "F1", thread = "NVIDIA/nccl#1347",
              nccl = "passes here; whether it does elsewhere depends on what else is on the device" },
  outcome = { pass = true, finding = "launch-order", findings = 0 },
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
else -- the other order: harmless only while both kernels have room
  rows:all_reduce(y)
  world:all_reduce(x)
end
world.stream:sync()
rows.stream:sync()
expect.equal(x, nranks ^ 2)
