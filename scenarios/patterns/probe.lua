scenario {
  ranks = 1,
  world = false,
  about = "is it there: functions by name, versions, devices, before anything is started",
}

-- Where a program chooses its backend at run time, NCCL is one of several. The program asks before it
-- relies on NCCL. None of these questions starts a communicator.
local code, text = nccl.version()
expect.equal(C.check(C.ncclGetVersion()), code)
expect.that(text:match("^%d+%.%d+%.%d+$"), text)

-- Since when: what a library has and what its version promises are the same.
for name, since in pairs {
  ncclAllReduce = 20000, ncclSend = 20703, ncclRedOpCreatePreMulSum = 21104,
  ncclCommInitRankConfig = 21403, ncclCommSplit = 21801, ncclCommRegister = 21901,
  ncclAlltoAll = 22803, ncclCommGrow = 22902,
} do
  expect.equal(C.has(name), code >= since, { label = name })
end

-- A missing function raises an error when it is called, and not before.
if not C.has("ncclCommGrow") then
  expect.error("usage", function() return C.ncclCommGrow(nil, 1, nil, 0) end)
end

local runtime, driver = cuda.runtime_version(), cuda.driver_version()
expect.that(driver >= runtime // 1000 * 1000, "the driver is as new as the runtime")

local n = cuda.device_count()
expect.that(n >= 1)
local usable = 0
for device = 0, n - 1 do
  local p = cuda.properties(device)
  usable = usable + (p.major >= 3 and p.total_global_mem > 0 and 1 or 0)
end
expect.equal(usable, n)
expect.equal(C.cudaSetDevice(n), C.cudaErrorInvalidDevice)
expect.that(cuda.last_error() == "cudaErrorInvalidDevice")
expect.that(nccl.error_string("ncclInvalidArgument"):match("invalid argument"))
