scenario { ranks = 2, outcome = { finding = { rule = "p2p-cycle", certainty = "lucky" } } }
