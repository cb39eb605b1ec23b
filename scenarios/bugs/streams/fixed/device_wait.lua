scenario {
  about  = "the mended device_wait: both parts are launched before anything waits for a device",
  ranks  = 1, world = false,
  params = { call = "free" },
  matrix = { call = { "free", "sync", "copy" } },
  needs  = { gpus = 2 },
}

local comms, x = nccl.init_all(2), {}
for i, comm in ipairs(comms) do
  x[i] = cuda.buffer("float32", 8, { device = comm.device }):fill(1)
end
nccl.group(function()
  for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
end)

local scratch, other = cuda.buffer("float32", 8), cuda.buffer("float32", 8)
for i, comm in ipairs(comms) do comm:all_reduce(x[i]) end
if param.call == "free" then scratch:free()
elseif param.call == "sync" then cuda.sync()
else scratch:copy_from(other) comms[1].stream:sync() end
comms[2].stream:sync()
expect.equal(x[2], 4)
