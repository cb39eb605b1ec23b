scenario { ranks = 2, outcome = { pass = true, hang = true } }
