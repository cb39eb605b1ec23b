scenario {
  ranks = 4,
  needs = { nccl = "2.29.2" },
  about = "a ring of puts: each rank writes into the window of the next and is signalled by the last",
}

local n     = 16
local right = (rank + 1) % nranks
local left  = (rank - 1) % nranks
local x     = cuda.buffer("float32", 2 * n, { memory = "nccl" }):fill(-1)
local mine  = x:part(0, 2):fill(rank)
local win   = world:window(x, { symmetric = true })

-- The put moves the first half of this rank's window to the second half of the next rank's, which
-- makes no call for it. Then it sends one signal, and that is waited for: by the stream, so that
-- what follows in the stream may use the data.
for round = 1, 3 do
  world:put_signal(mine, right, win, { first = n + 1 })
  world:wait_signal(left)
  stream:sync()
  expect.equal(x:part(1, 2), left * round)

  -- The next round overwrites what this rank has just read: tell the writer that it may.
  mine:fill(rank * (round + 1))
  world:signal(left)
  world:wait_signal(right)
end
stream:sync()
win:deregister()
