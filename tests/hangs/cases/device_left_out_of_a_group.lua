-- Two processes with two devices each, one thread for both: in one group the call of rank 3 is missing.
scenario { ranks = 2, devices = 4, world = false, outcome = { hang = { culprit = 3, why = "skipped-call" } } }
if rank == 0 then store:set("id", nccl.unique_id()) end
local id, first, last = store:get("id"), 2 * rank, 2 * rank + 1
local world, stream, x = {}, {}, {}
nccl.group(function()
  for me = first, last do
    cuda.set_device(me)
    world[me] = nccl.init_rank(4, id, me)
  end
end)
for me = first, last do
  stream[me] = cuda.stream { device = me }
  x[me] = cuda.buffer("float32", 8, { device = me }):fill(1)
end
for step = 1, 3 do
  nccl.group(function()
    for me = first, last do
      if not (me == 3 and step == 2) then
        world[me]:all_reduce(x[me], { stream = stream[me] })
      end
    end
  end)
  nccl.group(function()
    for me = first, last do
      world[me]:broadcast(x[me], { root = 0, stream = stream[me] })
    end
  end)
end
for me = first, last do
  stream[me]:sync()
end
