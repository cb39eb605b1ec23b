scenario { ranks = 1, about = "prints more than a pipe holds, and does not end" }
for i = 1, 3000 do
  print(("x"):rep(60))
end
while true do end
