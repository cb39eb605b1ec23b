scenario {
  about   = "one rank uses two communicators in a group, the others one after the other",
  bug     = { entry = "E5",
              nccl = "launches the group's communicators by a hash of their ids: waits in every second run" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  outcome = function(run)
    local odd = run.nranks == 2 and { 0, 1 } or run.param.odd -- of two, neither is the odd one
    return { pass = true, findings = 0,
             finding = { rule = "group-differs", culprit = odd, certainty = "undefined" } }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

local function reduce_both()
  world:all_reduce(x)
  rows:all_reduce(y) -- in the same stream: if the group launches rows first, each rank waits for the other
end

if rank == param.odd then
  nccl.group(reduce_both)
else
  reduce_both()
end
stream:sync()
