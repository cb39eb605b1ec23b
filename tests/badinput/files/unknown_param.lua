scenario { ranks = 2, params = { count = 4 } }
print(param.cuont)
