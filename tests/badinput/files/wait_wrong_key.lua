scenario { ranks = 2 }
world:wait_signal({ { peer = 0, opCnt = 2 } })
