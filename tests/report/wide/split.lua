scenario { ranks = 1024, about = "every third rank leaves out a split" }
if rank % 3 ~= 1 then
  world:split { color = 0 }
end
