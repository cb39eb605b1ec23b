scenario { ranks = 2 }
scenario { ranks = 4 }
