scenario { ranks = 2, outcome = { wrong = true } }
local x = cuda.buffer("float32", 256):fill(rank + 1)
local y = cuda.buffer("float32", 256):fill(rank + 1)

world:all_reduce(x)
expect.equal(x, 3) -- no wait for line 5
stream:sync()

world:all_reduce(y)
world:all_reduce(x)
expect.equal(y, 3) -- no wait for line 9: another slip
expect.equal(x, 6) -- the same: a wait between lines 10 and 11 mends both
