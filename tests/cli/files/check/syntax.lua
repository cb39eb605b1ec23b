scenario { ranks = 2 }
for i = 1, 3 do
  if i != 2 then
    world:all_reduce(rnk)
  end
end
