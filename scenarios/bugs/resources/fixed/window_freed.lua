scenario {
  about  = "the mended window_freed: the memory is freed after the last put and after the window",
  needs  = { nccl = "2.29", driver = "sim" },
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local n, right, left = 256, (rank + 1) % nranks, (rank - 1) % nranks
local x = cuda.buffer("float32", 2 * n, { memory = "nccl" }):fill(rank)
local window = world:window(x, { symmetric = true })
local mine, theirs = x:slice(1, n), x:slice(n + 1, n)

world:put_signal(mine, right, window, { first = n + 1 })
world:wait_signal(left)
stream:sync()
expect.equal(theirs, left)
barrier()
if right == param.culprit then
  world:put_signal(mine, right, window, { first = n + 1 })
  stream:sync()
end
barrier()
window:deregister()
if rank == param.culprit then x:free() end
