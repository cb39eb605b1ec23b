scenario { ranks = 2, outcome = { hang = { why = "skiped-call" } } }
