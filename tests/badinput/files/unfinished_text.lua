scenario { ranks = 2, about = "no end }
