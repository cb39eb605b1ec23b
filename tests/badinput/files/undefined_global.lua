scenario { ranks = 2 }
print(rnak)
