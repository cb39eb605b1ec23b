scenario {
  about  = "the mended split_in_loop: each step destroys the communicator that it split off",
  matrix = { ranks = { 2, 4 } },
}

local x = cuda.buffer("float32", 64):fill(1)
for _ = 1, 3 do
  local half = C.check(C.ncclCommSplit(world, rank * 2 // nranks, rank, nil))
  C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, C.ncclMax, half, stream))
  stream:sync()
  C.check(C.ncclCommDestroy(half))
end
expect.equal(x, 1)
