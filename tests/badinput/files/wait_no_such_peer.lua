scenario { ranks = 2 }
world:wait_signal(nranks)
