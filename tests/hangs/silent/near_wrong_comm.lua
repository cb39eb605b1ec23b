scenario { ranks = 4, about = "one line calls now on one communicator, now on another, in one order on every rank" }

local half, stripe = world:split { color = rank // 2 }, world:split { color = rank % 2 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 4 do
  local comm = step % 2 == 0 and half or stripe
  comm:all_reduce(x)
end
world:all_reduce(x)
stream:sync()
expect.equal(x, 64)
