scenario {
  ranks  = 1,
  world  = false,
  params = { devices = 4 },
  needs  = { nccl = "2.10", gpus = 2 },
  about  = "one object for all devices: default, own and null streams, batches, the mean, a broadcast",
}

-- Wrappers for one process with several devices have a communicator per device in one object; each
-- of their calls is a group over all of them.
local before = C.check(C.cudaGetDevice())
local comms  = nccl.init_all(math.min(param.devices, cuda.device_count()))
expect.equal(C.check(C.cudaGetDevice()), before, { label = "init-all keeps the current device" })
local n     = #comms

local function each(make)
  local list = {}
  for i, comm in ipairs(comms) do
    list[i] = make(comm, i)
  end
  return list
end

local function filled(dtype, count, value)
  return each(function(comm, i)
    return cuda.buffer(dtype, count, { device = comm.device }):fill(value(i - 1))
  end)
end

-- all_reduce(LISTS [, STREAMS, OP]): a batch of tensors, each a list of one buffer per device
local function all_reduce(lists, streams, op)
  nccl.group(function()
    for i, comm in ipairs(comms) do
      for _, list in ipairs(lists) do
        comm:all_reduce(list[i], { op = op, stream = streams and streams[i] })
      end
    end
  end)
end

local function sync(streams)
  for i, comm in ipairs(comms) do
    (streams and streams[i] or comm.stream):sync()
  end
end

-- On the streams that the object keeps.
local x = filled("float32", 128, function(at) return at + 1 end)
all_reduce { x }
sync()
each(function(_, i) expect.equal(x[i], n * (n + 1) / 2) end)

-- On streams that the caller brings: three tensors of different sizes and types, one group.
local own = each(function(comm) return cuda.stream { device = comm.device } end)
local a = filled("float32", 1000, function(at) return at end)
local b = filled("int32", 7, function() return 1 end)
local c = filled("float64", 64, function() return 0.5 end)
all_reduce({ a, b, c }, own)
sync(own)
each(function(_, i)
  expect.equal(a[i], n * (n - 1) / 2)
  expect.equal(b[i], n)
  expect.equal(c[i], n / 2)
end)

-- The mean of gradients, without a division afterwards.
local grads = filled("float32", 512, function(at) return 2 * at end)
all_reduce({ grads }, own, "avg")
sync(own)
each(function(_, i) expect.equal(grads[i], n - 1) end)

-- From one device to all, in place: the root's buffer is sent, the others are written.
local function broadcast(list, root, streams)
  nccl.group(function()
    for i, comm in ipairs(comms) do
      comm:broadcast(list[i], { root = root, stream = streams and streams[i] })
    end
  end)
end
for root = 0, n - 1 do
  local weights = filled("float32", 300, function(at) return at == root and 7 + root or -1 end)
  broadcast(weights, root, own)
  sync(own)
  each(function(_, i) expect.equal(weights[i], 7 + root) end)
end

-- With null streams each device works on its own default stream. The object waits device by device.
local y, z = filled("int32", 40, function(at) return at end), filled("int32", 40, function() return -1 end)
C.check(C.ncclGroupStart())
for i, comm in ipairs(comms) do
  C.check(C.ncclReduce(y[i], z[i], #y[i], C.ncclInt32, C.ncclSum, n - 1, comm, nil))
end
C.check(C.ncclGroupEnd())
for _, comm in ipairs(comms) do
  C.check(C.cudaSetDevice(comm.device))
  C.check(C.cudaStreamSynchronize(nil))
end
each(function(_, i) expect.equal(z[i], i == n and n * (n - 1) // 2 or -1) end)
C.check(C.cudaSetDevice(before))

each(function(comm) comm:destroy() end)
