scenario { ranks = 3, about = "a result that is not what was expected, and one that is wrong" }
local one = rank + 1
local all = cuda.buffer("int32", nranks * 4):fill(-1)
all:slice(1, 4):fill(one)
world:all_gather(all:slice(1, 4), all)
stream:sync()
expect.equal(all, function(i) return (i - 1) // 4 + 1 end)
expect.that(rank < 2, "only two of them")
