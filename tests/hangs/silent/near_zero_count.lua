scenario { ranks = 3, about = "no rank gives anything; and a rank that has nothing for one communicator is not in it" }

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x, { count = 0 })
world:all_gather(x:slice(1, 1), x, { count = 0 })
local some = world:split { color = rank == 2 and nccl.NOCOLOR or 0 }
if some then
  some:all_reduce(x)
end
world:all_reduce(x)
stream:sync()
expect.equal(x, 5)
