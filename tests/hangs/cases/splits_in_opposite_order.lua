scenario { ranks = 2, about = "two communicators are split in opposite order" }

local other = world:split { color = 0, name = "other" }
if rank == 0 then
  other:split { color = 0 }
  world:split { color = 0 }
else
  world:split { color = 0 }
  other:split { color = 0 }
end
