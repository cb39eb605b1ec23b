-- All ranks come to the barrier.
scenario { ranks = 4 }
local x, g, y = cuda.buffer("float16", 8):fill(0), cuda.buffer("float16", 8):fill(0), cuda.buffer("float32", 1):fill(0)
local stage = rank
local micro = 3
local warmup = math.min(3 - stage, micro)
for step = 1, 4 do
  for mb = 1, warmup do
    if stage > 0 then world:recv(x, stage - 1) end
    if stage < 3 then world:send(x, stage + 1) end
  end
  if micro > warmup and stage > 0 then
    world:recv(x, stage - 1)
  end
  for mb = 1, micro - warmup do
    nccl.group(function()
      if stage < 3 then world:send(x, stage + 1) end
      if stage < 3 then world:recv(g, stage + 1) end
    end)
    if mb < micro - warmup then
      nccl.group(function()
        if stage > 0 then world:send(g, stage - 1) end
        if stage > 0 then world:recv(x, stage - 1) end
      end)
    elseif stage > 0 then
      world:send(g, stage - 1)
    end
  end
  for mb = 1, warmup do
    if stage < 3 then world:recv(g, stage + 1) end
    if stage > 0 then world:send(g, stage - 1) end
  end
  world:all_reduce(y)
  stream:sync()
  if step % 2 == 0 then
    if rank == 0 then
      store:set("saved" .. step, 1)
    else
      store:get("saved" .. step)
    end
    if rank >= 0 then
      barrier()
    end
  end
end
