scenario { ranks = 4, about = "pre-mul-sum: each rank scales its own input, then the sum is taken" }

-- The factor may differ from rank to rank: here a weighted mean with weights 1, 2, 3, 4.
local weight = (rank + 1) / (nranks * (nranks + 1) / 2)
local mean   = world:premulsum("float64", weight)

local x = cuda.buffer("float64", 100):fill(rank + 1)
world:all_reduce(x, { op = mean })

-- A call takes a copy of the operator: it may be destroyed as soon as the call has returned.
mean:destroy()
stream:sync()
expect.equal(x, (2 * nranks + 1) / 3)

-- An operator belongs to its communicator and to its type.
local half = world:premulsum("float64", 0.5)
local y = cuda.buffer("float32", 100):fill(1)
expect.error("ncclInvalidArgument", function() world:all_reduce(y, { op = half }) end)
half:destroy()
