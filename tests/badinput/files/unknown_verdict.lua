scenario { ranks = 2, outcome = "passes" }
