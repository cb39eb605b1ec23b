-- All ranks evaluate in every second step.
scenario { ranks = 1, devices = 8, world = false }
local comms, group, x, y, parts, streams = nccl.init_all(8), {}, {}, {}, {}, {}
local function all(call)
  nccl.group(function()
    for i = 1, 8 do
      call(i)
    end
  end)
end
all(function(i) group[i] = comms[i]:split { color = (i - 1) // 4 } end)
for i = 1, 8 do
  streams[i] = cuda.stream { device = i - 1 }
  x[i] = cuda.buffer("float32", 8, { device = i - 1 }):fill(1)
  y[i] = cuda.buffer("float32", 4, { device = i - 1 }):fill(1)
  parts[i] = cuda.buffer("float32", 16, { device = i - 1 }):fill(0)
end
for step = 1, 4 do
  all(function(i)
    if step % 2 == 0 then
      comms[i]:all_reduce(y[i], { stream = streams[i] })
    end
  end)
  for layer = 1, 2 do
    all(function(i) group[i]:all_gather(y[i], parts[i], { stream = streams[i] }) end)
  end
  all(function(i) comms[i]:all_reduce(x[i], { stream = streams[i] }) end)
  for i = 1, 8 do
    streams[i]:sync()
  end
end
