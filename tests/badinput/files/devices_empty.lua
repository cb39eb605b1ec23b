scenario { ranks = 2, devices = {} }
