scenario { ranks = 3, about = "a communicator grows, and no rank has asked for the id" }

world:grow(4)
