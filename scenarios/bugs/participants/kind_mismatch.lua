scenario {
  ranks   = 4,
  about   = "rank 0 alone saves a checkpoint, which gathers; the others are at the next barrier",
  outcome = { hang = { culprit = 0, call = 1, waiting = { 0, 1, 2, 3 }, why = "kind-mismatch" } },
}

local shard = cuda.buffer("float32", 256):fill(rank)
local flag  = cuda.buffer("int32", 1):fill(1)

local function save()
  local whole = cuda.buffer("float32", 256 * nranks)
  world:all_gather(shard, whole) -- a collective: it is not rank 0's business alone
  stream:sync()
end

if rank == 0 then
  save()
end
world:all_reduce(flag)
stream:sync()
