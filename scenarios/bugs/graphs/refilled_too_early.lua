scenario {
  about   = "the host refills the input of a graph that still runs, for the next launch",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "O7", nccl = "the launch that runs reads the new input: wrong results, now and then" },
  outcome = { wrong = true },
}

local input = cuda.buffer("float32", 16):fill(1)
local sum, copy = cuda.buffer("float32", 16), cuda.buffer("float32", 16)
local refill = cuda.stream()
local step = cuda.graph(stream, function()
  stream:delay(1e-3)
  world:all_reduce(input, sum)
end)
step:launch(stream)
input:fill(2, { stream = refill }) -- nothing orders it behind the launch
refill:sync()
stream:sync()
copy:copy_from(sum)
expect.equal(copy, nranks)
