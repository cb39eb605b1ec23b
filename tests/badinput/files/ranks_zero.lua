scenario { ranks = 0 }
