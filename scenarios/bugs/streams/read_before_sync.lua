scenario {
  ranks   = 2,
  about   = "the call has returned, so the result must be there: a stale read",
  outcome = { wrong = true },
  needs   = { driver = "sim" }, -- what a race yields is certain on the virtual clock only
}

local x   = cuda.buffer("float32", 1024):fill(rank + 1)
local sum = cuda.buffer("float32", 1024):fill(0)

stream:delay(1e-3) -- the kernel that computes what is to be reduced
world:all_reduce(x, sum)
expect.equal(sum, 3) -- a copy on another stream: nothing orders it behind the operation
stream:sync()
