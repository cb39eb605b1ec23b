-- status: 2
-- command: check
-- prints: error
-- never: AAAA
-- What check runs is the declaration, in which there are no buffers and no C.
scenario { ranks = (function() local x = C.host("uint8", 64) return x[1] end)() }
