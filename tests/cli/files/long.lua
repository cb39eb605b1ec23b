scenario { ranks = 1, world = false }
print(("x"):rep(70 << 20))
