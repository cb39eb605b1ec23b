scenario {
  about  = "the mended abort_one_rank: who aborts tells the others outside of NCCL, and all abort",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == param.culprit then
  store:set("failed", rank)
end
expect.equal(store:get("failed"), param.culprit)
world:abort()
