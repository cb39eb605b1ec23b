scenario { ranks = 2, about = "a wait for signals of every rank, by hand" }

world:signal(1 - rank)
world:signal(rank)
local descs = { { opCnt = 1, peer = 0 }, { opCnt = 1, peer = 1 } }
C.check(C.ncclWaitSignal(2, descs, world, stream))
stream:sync()
