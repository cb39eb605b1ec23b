scenario {
  ranks   = 4,
  devices = 2, -- per host: the ranks 1 and 2 are on different ones
  about   = "the network between two hosts is gone: only the two ends are told, all stand",
  outcome = { hang = { culprit = { 1, 2 }, call = 2, why = "link-cut" } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
world:all_reduce(x)
stream:sync()

fault.link { rank = 1, peer = 2 }
barrier() -- so that it is cut before anybody goes on
world:all_reduce(x)
sleep(1)
expect.that((world:async_error() == "ncclRemoteError") == (rank == 1 or rank == 2))
stream:sync()
