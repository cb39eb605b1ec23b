scenario {
  about   = "one rank uses the communicators of a group in another order; NCCL sorts them by luck in one order",
  bug     = { entry = "B3",
              nccl = "orders them by a hash since 2.26, so it works by luck; hangs before, and the guide forbids it" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
  outcome = function(run)
    local odd = run.nranks == 2 and { 0, 1 } or run.param.odd -- of two, neither is the odd one
    return { pass = true, findings = 0,
             finding = { rule = "group-order", culprit = odd, certainty = "undefined" } }
  end,
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

nccl.group(function()
  if rank == param.odd then rows:all_reduce(y) end
  world:all_reduce(x)
  if rank ~= param.odd then rows:all_reduce(y) end
end)
stream:sync()
