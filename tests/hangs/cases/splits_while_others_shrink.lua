scenario { ranks = 4 }

if rank == 1 then
  world:split { color = 0 }
elseif rank ~= 3 then
  world:shrink { 3 }
end
