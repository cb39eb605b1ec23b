scenario {
  about   = "the mended count_mismatch: agree on the largest count, fill up with zeros",
  params  = { odd = 3, count = 1000 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, count = { 1, 1000, 1025 } },
}

local count = rank == param.odd and param.count or 1024
local most  = cuda.buffer("int32", 1):fill(count)
world:all_reduce(most, { op = "max" })
stream:sync()

local x = cuda.buffer("float32", most[1]):fill(0)
x:slice(1, count):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x[1], nranks)
