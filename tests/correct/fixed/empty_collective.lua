-- NCCL drops a collective of nothing, so a rank may leave it out: those that follow are paired all the same.
scenario { ranks = 3 }

local a, b = cuda.buffer("int32", nranks):fill(rank), cuda.buffer("int32", nranks)

if rank ~= 1 then world:all_reduce(a, { count = 0 }) end
if rank == 0 then world:send(a, 1, { count = 0 }) end
if rank == 1 then world:recv(a, 0, { count = 0 }) end
world:all_to_all(a, b)
world:all_reduce(b)
stream:sync()
expect.equal(b, function(i) return 3 * (i - 1) end)
