scenario { ranks = 1 }
local m = require "../secrets"
