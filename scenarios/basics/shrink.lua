scenario {
  ranks = 4, needs = { nccl = "2.27.3" },
  about = "a rank is lost: the others cut their work short and go on without it",
}

local x = cuda.buffer("float32", 256):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 2 then
  return -- it is not there any more when the others call again
end

-- This call waits for rank 2 on the device, for ever.
world:all_reduce(x)
sleep(1)
expect.equal(stream:query(), false)

-- Only those that stay call shrink. abort ends what runs on world; what x holds is undefined.
local rest = world:shrink({ 2 }, { abort = true })
stream:sync()
expect.that(world.interrupted)
world:abort()

expect.equal(rest.name, "world/shrink1")
expect.equal(rest.nranks, 3)
expect.equal(rest.rank, rank == 3 and 2 or rank)
x:fill(1)
rest:all_reduce(x)
stream:sync()
expect.equal(x, 3)
