scenario { ranks = 2, outcom = "pass" }
