scenario { ranks = 2 }
world:shrink { -1 }
