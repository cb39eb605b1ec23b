scenario { ranks = 2 }

world:signal(1 - rank)
C.ncclWaitSignal(1, { { opCnt = 1, peer = rank == 1 and 7 or 1 } }, world, stream)
stream:sync()
