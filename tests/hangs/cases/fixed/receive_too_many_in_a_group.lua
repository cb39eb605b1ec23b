-- One thread drives all devices; each rank receives what the one before sends.
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
  end
end)
