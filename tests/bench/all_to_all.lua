scenario { ranks = 32, params = { n = 1 }, about = "an all-to-all of all ranks" }
local send, recv = cuda.buffer("float32", param.n * nranks), cuda.buffer("float32", param.n * nranks)
send:fill(rank)
world:all_to_all(send, recv)
stream:sync()
