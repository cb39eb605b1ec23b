-- status: 2
-- command: check
-- prints: outside.lua: error: is a link that leads out of the folder
-- never: root:
-- `check` looks at modules by itself.
scenario { ranks = 1 }
if rank == 5 then require "outside" end
