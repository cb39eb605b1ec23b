-- As in the case of this name, with the repair that its report advises.
scenario { ranks = 4 }

local input, output = cuda.buffer("float16", 64):fill(1), cuda.buffer("float16", 64):fill(1)
local flag, loss = cuda.buffer("int32", 1):fill(0), cuda.buffer("float32", 1):fill(1)
local micro, warmup = 4, nranks - 1 - rank

local function with_next(send, receive)
  if rank == nranks - 1 then return end
  nccl.group(function()
    if send then world:send(output, rank + 1) end
    if receive then world:recv(output, rank + 1) end
  end)
end

local function with_previous(send, receive)
  if rank == 0 then return end
  nccl.group(function()
    if send then world:send(input, rank - 1) end
    if receive then world:recv(input, rank - 1) end
  end)
end

for _ = 1, warmup do
  with_previous(false, true)
  with_next(true, false)
end
with_previous(false, true)
for step = 1, micro - warmup do
  with_next(true, true)
  with_previous(true, step < micro - warmup)
end
for _ = 1, warmup do
  with_next(false, true)
  with_previous(true, false)
end
world:broadcast(flag, { root = 0 })
world:all_reduce(loss)
stream:sync()
