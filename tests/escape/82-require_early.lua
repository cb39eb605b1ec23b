-- status: 2
-- prints: is a link that leads out of the folder
-- never: root:
-- While there are no ranks yet.
scenario { ranks = function() return #require "outside" end }
