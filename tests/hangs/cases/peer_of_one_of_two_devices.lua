-- A thread has two devices, and sends and receives for both in one group. It ends that group for rank 2, which names
-- the wrong peer; rank 3, whose calls wait in the same group, is missed by rank 0.
scenario { ranks = 2, devices = 4, world = false, outcome = { hang = { culprit = 2, why = "wrong-peer" } } }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id = store:get("id")
local n, first, last = 4, 2 * rank, 2 * rank + 1
local world, stream, x, y = {}, {}, {}, {}
nccl.group(function()
  for me = first, last do
    cuda.set_device(me)
    world[me] = nccl.init_rank(n, id, me)
  end
end)
for me = first, last do
  stream[me] = cuda.stream { device = me }
  cuda.set_device(me)
  x[me], y[me] = cuda.buffer("float32", 4):fill(me), cuda.buffer("float32", 4)
end
for step = 1, 2 do
  nccl.group(function()
    for me = first, last do
      local to = (me + 1) % n
      if me == 2 and step == 2 then to = 0 end
      world[me]:send(x[me], to, { stream = stream[me] })
      world[me]:recv(y[me], (me - 1) % n, { stream = stream[me] })
    end
  end)
  for me = first, last do stream[me]:sync() end
end
