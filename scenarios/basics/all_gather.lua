scenario { ranks = 4, about = "every rank gets every rank's block, in the order of ranks" }

local count = 5
local block = cuda.buffer("uint8", count):fill(rank + 1)
local all   = cuda.buffer("uint8", nranks * count)

-- The count of ncclAllGather is what one rank sends; the receive buffer holds nranks times that.
world:all_gather(block, all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // count + 1 end)
expect.equal(all:part(rank), block)
