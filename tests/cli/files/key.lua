scenario { rank = 2 }
