-- Those who agree at call 1 do not all go on in the same way: the majority of them is right.
scenario { ranks = 4, outcome = { hang = { culprit = 1, call = 1, why = "count-mismatch" },
                                  finding = "skipped-call" } }

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x, { count = rank == 1 and 4 or 8 })
if rank ~= 0 then
  world:all_reduce(x)
end
stream:sync()
