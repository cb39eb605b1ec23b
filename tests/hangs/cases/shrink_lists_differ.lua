scenario { ranks = 4, about = "those who stay do not leave out the same rank" }

if rank < 2 then
  world:shrink { rank == 0 and 2 or 3 }
end
