-- status: 4
-- prints: outside.lua: is a link that leads out of the folder
-- never: root:
-- never: function arguments expected
-- A module that is a link to /etc/passwd: an error would quote a piece of it.
scenario { ranks = 1 }
require "outside"
