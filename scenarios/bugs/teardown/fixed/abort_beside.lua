scenario {
  about  = "the mended abort_beside: one group aborts both, so both kernels end before anything is freed",
  matrix = { ranks = { 2, 4 } },
}

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
rows:all_reduce(y, { stream = side })
stream:sync()
side:sync()

fault.kill { rank = nranks - 1 }
rows:all_reduce(y, { stream = side })
world:all_reduce(x)
sleep(1)
nccl.group(function()
  world:abort()
  rows:abort()
end)
