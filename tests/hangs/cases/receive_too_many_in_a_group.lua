-- One thread drives all devices; rank 0 receives twice what rank 3 sends once.
scenario { ranks = 1, devices = 4, world = false }

local comms, x, y = nccl.init_all(4), {}, {}
for r = 0, 3 do
  x[r] = cuda.buffer("float32", 8, { device = r }):fill(r)
  y[r] = cuda.buffer("float32", 16, { device = r })
end
nccl.group(function()
  for r = 0, 3 do
    comms[r + 1]:send(x[r], (r + 1) % 4)
    comms[r + 1]:recv(y[r]:part(0, 2), (r - 1) % 4)
    if r == 0 then
      comms[r + 1]:recv(y[r]:part(1, 2), (r - 1) % 4)
    end
  end
end)
