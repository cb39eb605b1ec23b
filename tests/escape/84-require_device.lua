-- status: 4
-- prints: endless.lua: is no regular file, expected a file of Lua text
-- link: endless.lua /dev/zero
-- A module that never ends: a link to /dev/zero.
scenario { ranks = 1 }
require "endless"
