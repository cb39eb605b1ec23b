scenario {
  about   = "groups nest, and one rank starts one more than it ends: the outer one stays open",
  bug     = { entry = "E2", nccl = "only the outermost end launches: all later calls of that rank pile up" },
  params  = { odd = 1, steps = 3 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "others",
                      why = "missing-group-end" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)

if rank == param.odd then
  C.check(C.ncclGroupStart()) -- "to be on the safe side"
end
for _ = 1, param.steps do
  nccl.group(function()
    world:all_reduce(x)
  end)
end
stream:sync()
