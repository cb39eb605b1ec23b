scenario { ranks = 2, params = { word = "hello" } }

print(param.word)
