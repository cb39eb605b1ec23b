scenario {
  about  = "the mended nocolor_used: who is in no part of the split makes no call on it",
  params = { culprit = 1 },
  matrix = { ranks = { 3, 4 }, culprit = { 0, 2 } },
}

local x = cuda.buffer("float32", 8):fill(1)
local _, team = C.check(0, C.ncclCommSplit(world, rank == param.culprit and C.NCCL_SPLIT_NOCOLOR or 0, 0, nil))

if team then
  C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, team, stream))
  stream:sync()
  expect.equal(x, nranks - 1)
  C.check(C.ncclCommDestroy(team))
end
