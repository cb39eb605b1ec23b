scenario { ranks = 2, about = "how long would it take: a group that is estimated and not started" }

local small, large = cuda.buffer("float32", 1 << 10), cuda.buffer("float32", 1 << 20)

local function time_of(x)
  return nccl.simulate(function() world:all_reduce(x) end)
end

small:fill(1)
expect.that(time_of(small) < time_of(large))
expect.equal(nccl.simulate(function() end), nil)
expect.equal(small, 1) -- nothing was started

world:all_reduce(small)
stream:sync()
expect.equal(small, 2)
