scenario { ranks = 4, about = "every rank ends up with the sum over all ranks" }

local x   = cuda.buffer("float32", 1024):fill(function(i) return rank + i end)
local sum = cuda.buffer("float32", 1024)

-- The call returns before the sum exists: it puts the operation on a stream, no more.
world:all_reduce(x, sum)
stream:sync()
expect.equal(sum, function(i) return nranks * i + nranks * (nranks - 1) / 2 end)
expect.equal(x, function(i) return rank + i end) -- out of place: the input stays

-- The other built-in operators. Every rank must name the same one: NCCL does not compare them.
local y = cuda.buffer("int32", 16)
for op, want in pairs { max = nranks, min = 1, prod = 1 << nranks } do
  y:fill(op == "prod" and 2 or rank + 1)
  world:all_reduce(y, { op = op })
  stream:sync()
  expect.equal(y, want, { label = op })
end
