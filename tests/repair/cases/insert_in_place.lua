-- The gathered block of a rank lies where its own number says.
scenario { ranks = 3, outcome = { hang = { culprit = 2, why = "skipped-call" } } }

local all = cuda.buffer("int32", 3 * 4)
all:part(4 * rank, 4):fill(rank + 1)
if rank ~= 2 then
  world:all_gather(all:part(4 * rank, 4), all)
end
stream:sync()
expect.equal(all:part(0, 4), 1)
expect.equal(all:part(4, 4), 2)
expect.equal(all:part(8, 4), 3)
