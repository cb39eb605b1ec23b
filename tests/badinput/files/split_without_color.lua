scenario { ranks = 1 }
world:split { key = 1 }
