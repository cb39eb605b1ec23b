scenario { ranks = 4, outcome = { hang = { culprit = 1, call = 1, why = "count-mismatch" },
                                  finding = "skipped-call" } }

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x, { count = rank == 1 and 4 or 8 })
if rank ~= 3 then
  world:all_reduce(x)
end
stream:sync()
