scenario {
  about   = "one rank makes two collectives in a group, the others one after the other: it works by luck",
  bug     = { entry = "E5",
              nccl = "sorts the group by size and runs it as one: waits, or garbage, or by luck the right thing" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
  outcome = function(run)
    local odd = run.nranks == 2 and { 0, 1 } or run.param.odd -- of two, neither is the odd one
    return { pass = true, findings = 0,
             finding = { rule = "group-differs", culprit = odd, call = 1, certainty = "undefined" } }
  end,
}

local small = cuda.buffer("float32", 16):fill(1)
local large = cuda.buffer("float32", 4096):fill(2)

local function reduce_both()
  world:all_reduce(small)
  world:all_reduce(large)
end

if rank == param.odd then
  nccl.group(reduce_both) -- here NCCL begins with the larger one
else
  reduce_both()
end
stream:sync()
