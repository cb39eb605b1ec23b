scenario { ranks = 2, outcome = { hang = { culprits = 1 } } }
