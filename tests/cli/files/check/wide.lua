scenario { ranks = 2 }
	local x <const> = "漢字"; x = 1 -- tabs and wide
