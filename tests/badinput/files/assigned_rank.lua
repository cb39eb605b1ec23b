scenario { ranks = 2 }
rank = 0
