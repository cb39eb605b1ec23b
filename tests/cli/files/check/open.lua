scenario { ranks = 2 }
for i = 1, 3 do
  print("é", i)
