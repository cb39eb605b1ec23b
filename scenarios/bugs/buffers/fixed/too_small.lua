scenario {
  about  = "the mended too_small: the buffer has room for a block of every rank",
  params = { call = "all_gather", culprit = 0 },
  matrix = { ranks = { 2, 4 }, call = { "all_gather", "reduce_scatter", "all_to_all" }, culprit = { 0, 1 } },
}

local n, F32 = 1024, C.ncclFloat32
local block = cuda.buffer("float32", n):fill(1)
local all = cuda.buffer("float32", n * nranks):fill(1)
if param.call == "all_gather" then
  C.check(C.ncclAllGather(block, all, n, F32, world, stream))
elseif param.call == "reduce_scatter" then
  C.check(C.ncclReduceScatter(all, block, n, F32, C.ncclSum, world, stream))
else
  local back = cuda.buffer("float32", n * nranks)
  C.check(C.ncclAlltoAll(all, back, n, F32, world, stream))
end
stream:sync()
