scenario {
  about   = "one rank alone saves a checkpoint, which gathers; the others are at the next barrier",
  bug     = { entry = "A3", thread = { "deepspeedai/DeepSpeed#797", "KempnerInstitute/KempnerForge#49" },
              nccl = "a gather meets the others' all-reduce: all wait, or a network complains of a size" },
  params  = { odd = 0, steps = 4 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, steps = { 0, 4 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    local odd = run.nranks == 2 and { 0, 1 } or run.param.odd -- of two, neither is the odd one
    return { hang = { culprit = odd, call = run.param.steps + 1, waiting = "all",
                      why = run.nranks == 2 and "kind-mismatch" or "extra-call" }, findings = 1 }
  end,
}

local shard = cuda.buffer("float32", 256):fill(rank)
local flag  = cuda.buffer("int32", 1):fill(1)

local function save()
  local whole = cuda.buffer("float32", 256 * nranks)
  world:all_gather(shard, whole) -- a collective: it is not one rank's business alone
  stream:sync()
end

for _ = 1, param.steps do
  world:all_reduce(shard, { op = "avg" })
end
if rank == param.odd then
  save()
end
world:all_reduce(flag)
stream:sync()
