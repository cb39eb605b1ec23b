scenario { ranks = 4, about = "one rank's buffer goes to all, from each root in turn" }

local x = cuda.buffer("int32", 256)

for root = 0, nranks - 1 do
  x:fill(rank == root and 100 + root or -1)
  world:broadcast(x, { root = root })
  stream:sync()
  expect.equal(x, 100 + root, { label = "from rank " .. root })
end

-- Off the root the send buffer is not read: nil will do, as NULL does in C.
local from = cuda.buffer("float64", 3):fill { 1, 2, 3 }
local to   = cuda.buffer("float64", 3)
world:broadcast(rank == 0 and from or nil, to)
stream:sync()
expect.equal(to, { 1, 2, 3 })
