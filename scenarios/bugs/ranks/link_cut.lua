scenario {
  about   = "the network between two hosts is gone: only the two ends are told, all stand",
  devices = 2, -- per host: the ranks 1 and 2 are on different ones
  matrix  = { ranks = { 4, 8 } },
  bug     = { entry = "M1", thread = "NVIDIA/nccl#140",
              nccl = "an asynchronous error at the two ends of the link; the others know nothing" },
  outcome = { hang = { why = "link-cut", culprit = { 1, 2 }, call = 2, waiting = "all" }, findings = 1 },
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
