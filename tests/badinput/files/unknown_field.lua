scenario { ranks = 2 }
print(world.size)
