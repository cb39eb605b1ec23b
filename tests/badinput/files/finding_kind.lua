scenario { ranks = 2, outcome = { finding = 3 } }
