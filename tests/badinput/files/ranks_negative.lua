scenario { ranks = -4 }
