scenario { ranks = 3, about = "a rank dies when nobody needs it any more" }

local x = cuda.buffer("float32", 8):fill(1)
local pair = world:split { color = rank == 2 and nccl.NOCOLOR or 0 }
world:all_reduce(x)
stream:sync()
if rank == 2 then
  fault.kill()
end
pair:all_reduce(x)
stream:sync()
expect.equal(x, 6)
