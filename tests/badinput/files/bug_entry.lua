scenario { ranks = 2, bug = { entry = "1A" } }
