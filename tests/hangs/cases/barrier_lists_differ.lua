-- Two pairs of ranks give barrier() different lists.
scenario { ranks = 4, world = false, outcome = { hang = {} } }
if rank < 2 then barrier { ranks = { 0, 1, 2 } } else barrier { ranks = { 1, 2, 3 } } end
