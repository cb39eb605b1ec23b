scenario {
  ranks = 4,
  about = "the mended count_mismatch: agree on the largest count, fill up with zeros",
}

local count = rank == 3 and 1000 or 1024
local most  = cuda.buffer("int32", 1):fill(count)
world:all_reduce(most, { op = "max" })
stream:sync()

local x = cuda.buffer("float32", most[1]):fill(0)
x:slice(1, count):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, function(i) return i <= 1000 and 4 or 3 end)
