scenario { ranks = 2 }

local a = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local b = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local win = {}
local function register_a()
  win.a = world:window(a, { symmetric = true })
end
local function register_b()
  win.b = world:window(b, { symmetric = true })
end
if rank == 0 then
  register_a()
  register_b()
else
  register_b()
  register_a()
end
world:put_signal(a, 1 - rank, win.a)
world:wait_signal(1 - rank)
stream:sync()
