scenario {
  ranks   = 4,
  about   = "rank 1 takes itself for the root of a gather",
  outcome = { hang = { culprit = 1, call = 1, why = "root-mismatch" } },
}

local x   = cuda.buffer("float32", 16):fill(rank)
local all = cuda.buffer("float32", 16 * nranks)

-- A gather is a send of every rank to the root, and the receives of the root: ranks 0 and 1 both wait
-- to receive what the other will never send.
world:gather(x, all, { root = rank == 1 and 1 or 0 })
stream:sync()
