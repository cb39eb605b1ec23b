scenario { ranks = 2, about = "signals that come one by one, from puts as well, while they are waited for" }

local x   = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local win = world:window(x, { symmetric = true })
if rank == 0 then
  world:wait_signal { { peer = 1, op_cnt = 3 } }
  world:signal(1)
else
  world:signal(0)
  sleep(60)
  world:put_signal(x:slice(1, 2), 0, win, { first = 1 })
  stream:delay(60)
  world:signal(0)
  world:wait_signal(0)
end
stream:sync()
