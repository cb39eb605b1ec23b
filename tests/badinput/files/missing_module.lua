scenario { ranks = 1 }
local m = require "nowhere"
