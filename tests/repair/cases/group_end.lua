-- Two groups are left open by rank 1.
scenario { ranks = 2, outcome = { hang = { culprit = 1, why = "missing-group-end" } } }

local x = cuda.buffer("int32", 4):fill(1)
if rank == 1 then
  C.ncclGroupStart()
  C.ncclGroupStart()
end
world:all_reduce(x)
stream:sync()
