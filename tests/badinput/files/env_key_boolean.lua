scenario { ranks = 2, env = { [true] = "Ring" } }
