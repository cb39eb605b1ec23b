scenario { ranks = 2, outcome = { hang = { culprit = 0, waiting = "most" } } }
