scenario { ranks = 1, world = false, devices = 3 }
local comms, threads = nccl.init_all(3), {}
local function sum(comm, x, s) comm:all_reduce(x, { stream = s }) end
local function most(comm, x, s) comm:all_reduce(x, { op = "max", stream = s }) end
local function work(i)
  cuda.set_device(i - 1)
  local x, s = cuda.buffer("float32", 8):fill(1), cuda.stream()
  for step = 1, 2 do
    sum(comms[i], x, s)
    local ok = pcall(function() assert(i < 3 or step < 2, "no batch is left") end)
    if ok or i == 3 then most(comms[i], x, s) end
    comms[i]:broadcast(x, { stream = s })
    s:sync()
  end
end
for i = 1, 3 do threads[i] = spawn(work, i) end
for i = 1, 3 do threads[i]:join() end
