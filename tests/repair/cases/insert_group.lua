-- A whole group is left out, and two calls after it made.
scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "skipped-call" } } }

local x, y, z = cuda.buffer("int32", 8):fill(1), cuda.buffer("int32", 8):fill(2), cuda.buffer("int32", 2):fill(1)
if rank ~= 1 then
  nccl.group(function()
    world:all_reduce(x)
    world:all_reduce(y, { op = "max" })
  end)
end
for _ = 1, 4 do world:all_reduce(z) end
stream:sync()
expect.equal(x, nranks)
expect.equal(z, 81)
