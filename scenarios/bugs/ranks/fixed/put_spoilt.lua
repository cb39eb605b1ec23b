scenario {
  about  = "the mended put_spoilt: what the rank has put arrives in the peer's window",
  needs  = { nccl = "2.29", driver = "sim" },
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local n, right, left = 8, (rank + 1) % nranks, (rank - 1) % nranks
local x = cuda.buffer("float32", 2 * n, { memory = "nccl" }):fill(rank + 1)
local window <close> = world:window(x, { symmetric = true })
world:put_signal(x:slice(1, n), right, window, { first = n + 1 })
world:wait_signal(left)
stream:sync()
expect.equal(x:slice(n + 1, n), left + 1)
