scenario {
  ranks  = 1,
  world  = false,
  params = { devices = 4 },
  needs  = { nccl = "2.10", gpus = 2 },
  about  = "an object for several devices and its wrong use: too few devices, wrong lists, roots and ranks",
}

-- One list of buffers per call and one list of streams: the object checks their lengths. NCCL gets the
-- entries one by one and cannot know that one is missing. It would wait for the rank without a call.
local list = {}
list.__index = list

local function refuse(...)
  error { reason = string.format(...) }
end

function list.new(devices)
  if #devices < 2 then
    refuse("expected 2 devices or more, got %d", #devices)
  end
  return setmetatable({ comms = nccl.init_all(devices) }, list)
end

function list:each(buffers, streams, call)
  local n = #self.comms
  if #buffers ~= n then
    refuse("%d buffers for %d devices", #buffers, n)
  elseif streams and #streams ~= n then
    refuse("%d streams for %d devices", #streams, n)
  end
  nccl.group(function()
    for i, comm in ipairs(self.comms) do
      call(comm, buffers[i], streams and streams[i])
    end
  end)
end

function list:all_reduce(buffers, streams)
  self:each(buffers, streams, function(comm, x, s) comm:all_reduce(x, { stream = s }) end)
end

function list:broadcast(buffers, root, streams)
  self:each(buffers, streams, function(comm, x, s) comm:broadcast(x, { root = root, stream = s }) end)
end

local function refused(reason, call, ...)
  local ok, problem = pcall(call, ...)
  expect.equal(ok, false)
  expect.equal(problem.reason, reason)
end

refused("expected 2 devices or more, got 0", list.new, {})
refused("expected 2 devices or more, got 1", list.new, { 0 })

local n = math.min(param.devices, cuda.device_count())
local devices, x, streams = {}, {}, {}
for i = 1, n do
  devices[i] = i - 1
  x[i] = cuda.buffer("float32", 64, { device = i - 1 })
  streams[i] = cuda.stream { device = i - 1 }
end
local all = list.new(devices)

-- Wrong numbers of buffers and of streams: nothing is launched.
local few, many = { table.unpack(x, 1, n - 1) }, { x[1], table.unpack(x) }
refused(("%d buffers for %d devices"):format(n - 1, n), all.all_reduce, all, few)
refused(("%d buffers for %d devices"):format(n + 1, n), all.all_reduce, all, many, streams)
refused(("%d buffers for %d devices"):format(0, n), all.broadcast, all, {}, 0)
refused(("%d streams for %d devices"):format(n - 1, n), all.all_reduce, all, x,
        { table.unpack(streams, 1, n - 1) })
refused(("%d streams for %d devices"):format(0, n), all.all_reduce, all, x, {})

-- NCCL checks roots and ranks by itself. They count from 0, so the size is the first wrong number.
for _, root in ipairs { n, -1 } do
  expect.error("ncclInvalidArgument", all.broadcast, all, x, root)
  for i, comm in ipairs(all.comms) do
    expect.equal(C.ncclReduce(x[i], x[i], 64, C.ncclFloat32, C.ncclSum, root, comm, streams[i]),
                 C.ncclInvalidArgument)
  end
end
for _, at in ipairs { n, n + 1, -1 } do
  expect.equal(C.ncclCommInitRank(n, nccl.unique_id(), at), C.ncclInvalidArgument)
  expect.error("ncclInvalidArgument", nccl.init_rank, n, nccl.unique_id(), at)
end
expect.equal(C.ncclCommInitRank(0, nccl.unique_id(), 0), C.ncclInvalidArgument)

-- NCCL checks the devices of a list, too: none twice, none that does not exist, no negative number.
expect.error("ncclInvalidUsage", list.new, { 0, 0 })
expect.error("ncclInvalidArgument", list.new, { 0, cuda.device_count() })
expect.error("ncclInvalidArgument", list.new, { 0, -1 })
expect.equal(C.ncclCommInitAll(-1, nil), C.ncclInvalidArgument)

-- The object has survived all of this: a blocking communicator does not keep such errors.
for i = 1, n do
  x[i]:fill(i)
end
all:all_reduce(x, streams)
all:broadcast(x, n - 1, streams)
for i, comm in ipairs(all.comms) do
  streams[i]:sync()
  expect.equal(x[i], n * (n + 1) / 2)
  comm:destroy()
end
