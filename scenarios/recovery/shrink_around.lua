scenario {
  ranks = 4, needs = { nccl = "2.27.3" },
  about = "a rank dies: its peers shrink the communicator around it, and the sum is theirs",
}

local dead = 3
local x = cuda.buffer("float32", 1024):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, 4)

fault.kill { rank = dead }
store:set("alive" .. rank, true)
x:fill(1)
world:all_reduce(x) -- stands: rank 3 takes no part

-- On one host NCCL notices nothing: a heartbeat outside of it has to.
local lost = {}
for r = 0, nranks - 1 do
  if not store:get("alive" .. r, { timeout = 1 }) then lost[#lost + 1] = r end
end
local rest = world:shrink(lost, { abort = true }) -- ends the call that stands
expect.that(world.interrupted)
x:fill(1)
rest:all_reduce(x)
stream:sync()
expect.equal(x, nranks - #lost)
