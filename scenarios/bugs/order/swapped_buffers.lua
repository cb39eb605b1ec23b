scenario {
  about   = "two alike calls in the other order on one rank: nothing hangs, the sums are mixed up",
  bug     = { entry = "B2", thread = "horovod/horovod#2564",
              nccl = "no error and no hang: on every rank both sums have one part of the other" },
  params  = { odd = 3, dtype = "int32" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, dtype = { "int32", "float32" } },
  outcome = function(run)
    return { wrong = true, finding = { rule = "swapped-calls", culprit = run.param.odd, call = 1,
                                       comm = "world" } }
  end,
}

local x = cuda.buffer(param.dtype, 4):fill(1)
local y = cuda.buffer(param.dtype, 4):fill(100)

-- Count, type and operator agree, so the calls match. Only the labels show what went wrong.
if rank == param.odd then
  world:all_reduce(y, { label = "y" })
  world:all_reduce(x, { label = "x" })
else
  world:all_reduce(x, { label = "x" })
  world:all_reduce(y, { label = "y" })
end
stream:sync()
expect.equal(x, nranks)       -- got: nranks - 1 + 100
expect.equal(y, 100 * nranks)
