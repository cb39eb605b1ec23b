-- status: 4
-- prints: endless.lua: is no regular file, expected a file of Lua text
-- A module that never ends: a link to /dev/zero.
scenario { ranks = 1 }
require "endless"
