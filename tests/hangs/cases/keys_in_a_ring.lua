scenario { ranks = 2, outcome = { hang = { waiting = { 0, 1 }, why = "host-wait" } } }

local mine, other = rank == 0 and "a" or "b", rank == 0 and "b" or "a"
store:get(other)
store:set(mine, true)
