scenario {
  ranks   = 3,
  about   = "int32 meets float32: the bytes fit, so it completes, with nonsense",
  outcome = { wrong = true, finding = "dtype-mismatch" },
}

local x = cuda.buffer(rank == 1 and "int32" or "float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
