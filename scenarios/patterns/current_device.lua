scenario {
  ranks  = 1,
  world  = false,
  params = { devices = 4 },
  needs  = { gpus = 2 },
  about  = "the current device: init takes it for the communicator, and leaves it as it was",
}

-- A communicator belongs to the device that is current when it is made. Programs that changed the device
-- for the sake of a communicator would surprise their callers, so NCCL and good wrappers restore it.
local n    = math.min(param.devices, cuda.device_count())
local home = n - 1
C.check(C.cudaSetDevice(home))
local function at_home(what)
  expect.equal(C.check(C.cudaGetDevice()), home, { label = what })
end

-- ncclCommInitAll visits every device of its list.
local comms = C.check(C.ncclCommInitAll(n, nil))
at_home("after ncclCommInitAll")
for i, comm in ipairs(comms) do
  expect.equal(C.check(C.ncclCommCuDevice(comm)), i - 1)
end

-- A call works on the communicator's device, whatever is current.
local streams, x = {}, {}
for i = 1, n do
  streams[i] = cuda.stream { device = i - 1 }
  x[i] = cuda.buffer("float32", 32, { device = i - 1 }):fill(i)
end
C.check(C.ncclGroupStart())
for i, comm in ipairs(comms) do
  C.check(C.ncclAllReduce(x[i], x[i], 32, C.ncclFloat32, C.ncclSum, comm, streams[i]))
end
C.check(C.ncclGroupEnd())
at_home("after a group over all devices")
for i = 1, n do
  C.check(C.cudaStreamSynchronize(streams[i]))
  expect.equal(x[i], n * (n + 1) / 2)
end
for _, comm in ipairs(comms) do
  C.check(C.ncclCommDestroy(comm))
end
at_home("after ncclCommDestroy")

-- A communicator of one rank, made as a wrapper does it for a device of the caller's choice.
local function on_device(device, make)
  local previous = C.check(C.cudaGetDevice())
  C.check(C.cudaSetDevice(device))
  local made = make()
  C.check(C.cudaSetDevice(previous))
  return made
end
local alone = on_device(0, function()
  return C.check(C.ncclCommInitRank(1, C.check(C.ncclGetUniqueId()), 0))
end)
at_home("after a wrapper that restores the device")
expect.equal(C.check(C.ncclCommCuDevice(alone)), 0)
C.check(C.ncclCommDestroy(alone))

-- An init that fails restores the device, too.
expect.equal(C.ncclCommInitAll(2, { 0, cuda.device_count() }), C.ncclInvalidArgument)
at_home("after a failed ncclCommInitAll")
