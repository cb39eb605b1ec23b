scenario { ranks = "many" }
