scenario { ranks = 1 }
stream:sync()
