-- Ranks that made unequal numbers of sends and receives go on with collectives: all are paired, and right.
scenario { ranks = 3 }

local x, y = cuda.buffer("int32", 1):fill(rank), cuda.buffer("int32", 1)
local a, b = cuda.buffer("int32", nranks):fill(rank), cuda.buffer("int32", nranks)
local c, d = cuda.buffer("int32", nranks):fill(100 + rank), cuda.buffer("int32", nranks)

if rank == 0 then world:send(x, 1) end
if rank == 1 then world:recv(y, 0) end
world:all_to_all(a, b)
world:all_to_all(c, d)
world:gather(x, rank == 0 and b or nil)
world:scatter(rank == 0 and c or nil, y)
world:all_reduce(d)
stream:sync()
expect.equal(d, function(i) return 300 + 3 * (i - 1) end)
expect.equal(y, 100)
