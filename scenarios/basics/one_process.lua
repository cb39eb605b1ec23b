scenario {
  ranks = 1,
  world = false, needs = { gpus = 4 },
  about = "one process drives four devices: init_all, and groups",
}

local n = 4
local comms = nccl.init_all(n)
local x = {}

for i, comm in ipairs(comms) do
  expect.equal(comm.rank, i - 1)
  expect.equal(comm.device, i - 1)
  x[i] = cuda.buffer("float32", 16, { device = comm.device }):fill(i)
end

-- One thread makes the calls of all ranks. Without the group the first call would wait for the
-- second rank, and nobody could ever make that call: see bugs/one_thread_no_group.lua.
nccl.group(function()
  for i, comm in ipairs(comms) do
    comm:all_reduce(x[i])
  end
end)

for i, comm in ipairs(comms) do
  comm.stream:sync()
  expect.equal(x[i], n * (n + 1) / 2)
end
for _, comm in ipairs(comms) do
  comm:destroy()
end
