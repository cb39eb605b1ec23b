scenario { ranks = 1024, about = "each rank waits for a key that the rank before it sets afterwards" }
store:get("key " .. (rank - 1) % nranks)
store:set("key " .. rank, rank)
