scenario {
  ranks = 3,
  world = { split_share = true },
  about = "a parent is aborted with a child that shares its resources",
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
half:all_reduce(x)
stream:sync()
if rank == 1 then
  fault.kill()
end
half:all_reduce(x)
world:abort()
stream:sync()
expect.that(half.interrupted)
