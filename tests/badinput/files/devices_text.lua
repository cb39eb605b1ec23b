scenario { ranks = 2, devices = { 7, "many" } }
