scenario { ranks = 2.5 }
