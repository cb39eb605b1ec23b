-- Two communicators in the other order on one rank, on one stream.
scenario { ranks = 2, outcome = { hang = { why = "comm-order" } } }

local x, y = cuda.buffer("int32", 4):fill(1), cuda.buffer("int32", 4):fill(2)
local other = world:split { color = 0 }
if rank == 1 then
  other:all_reduce(y)
  world:all_reduce(x)
else
  world:all_reduce(x)
  other:all_reduce(y)
end
stream:sync()
expect.equal(x, 2)
expect.equal(y, 4)
