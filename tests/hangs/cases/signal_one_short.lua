scenario {
  ranks   = 2,
  about   = "a wait for one signal more than the peer sends",
  outcome = { hang = { culprit = 0, waiting = { 1 }, why = "signal-missing" } },
}

local x   = cuda.buffer("float32", 64, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })

if rank == 0 then
  world:put_signal(x:part(0, 2), 1, win, { first = 33 })
  stream:sync()
else
  -- The data needs one put, and one put sends one signal; the wait takes two.
  world:wait_signal(0, { op_cnt = 2 })
  stream:sync()
end
