scenario { ranks = 1 }
world:split { color = 0, split_shared = true }
