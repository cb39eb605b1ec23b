scenario { ranks = 2 }
world:al_reduce()
