scenario { ranks = 2, devices = { 2, [4] = 1 } }
