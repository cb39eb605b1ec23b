scenario { ranks = 3, about = "in place, next to each other, and buffers that a rank does not use" }

local all = cuda.buffer("int32", 12):fill(1)
world:all_gather(all:part(rank), all)
world:reduce_scatter(all, all:part(rank))
world:all_reduce(all)
world:all_reduce(all:slice(1, 6), all:slice(7, 6)) -- apart by nothing
world:broadcast(all:slice(1, 4), all:slice(1, 4), { root = 1 })
-- Only the root receives, so elsewhere any address does; and a call of nothing overlaps nothing.
C.check(C.ncclReduce(all:slice(1, 4), rank == 0 and all:slice(5, 4) or all:slice(2, 4), 4, C.ncclInt32,
  C.ncclSum, 0, world, stream))
C.check(C.ncclAllReduce(all, all:slice(2, 1), 0, C.ncclInt32, C.ncclSum, world, stream))
stream:sync()
