-- status: 2
-- prints: is a link that leads out of the folder
-- never: root:
-- Where the outcome is worked out.
scenario { ranks = 1, outcome = function() return require "outside" end }
