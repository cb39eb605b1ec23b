-- The gathered block of a rank lies where its own number says.
scenario { ranks = 3, outcome = { hang = { culprit = 2, why = "skipped-call" } } }

local all = cuda.buffer("int32", 3 * 4)
all:part(rank):fill(rank + 1)
if rank ~= 2 then
  world:all_gather(all:part(rank), all)
end
stream:sync()
expect.equal(all:part(0), 1)
expect.equal(all:part(1), 2)
expect.equal(all:part(2), 3)
