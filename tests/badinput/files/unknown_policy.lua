scenario { ranks = 2, policy = "typcal" }
