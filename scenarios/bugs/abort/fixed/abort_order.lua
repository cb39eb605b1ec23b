scenario {
  about  = "the mended abort_order: both communicators are aborted in a group, which cancels before it waits",
  matrix = { ranks = { 2, 4 } },
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()

fault.kill { rank = nranks - 1 }
rows:all_reduce(y)
world:all_reduce(x)
sleep(1)
nccl.group(function()
  world:abort()
  rows:abort()
end)
