scenario { ranks = 2 }
barrier { ranks = { 0, 7 } }
