scenario { ranks = 1 }
