scenario { ranks = 6, about = "rows and columns of a grid, each a communicator of its own" }

local columns = 3

-- Every rank of world takes part in every split. The new ranks are in order of key, then of the
-- rank in world.
local row = world:split { color = rank // columns }
local col = world:split { color = rank % columns, key = -rank }

expect.equal(row.nranks, 3)
expect.equal(row.rank, rank % columns)
expect.equal(col.nranks, 2)
expect.equal(col.rank, 1 - rank // columns)
expect.equal(row.name, "world/split1." .. rank // columns)

local x = cuda.buffer("float32", 8):fill(rank)
row:all_reduce(x)
col:all_reduce(x)
stream:sync()
expect.equal(x, 0 + 1 + 2 + 3 + 4 + 5)
