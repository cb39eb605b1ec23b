scenario {
  ranks = 1,
  params = { first = 1 },
  about = "good and bad arguments of NCCL's and the CUDA runtime's functions: one line for each code",
}

-- Two lines for each case: "N at CASE" before the calls and "N got RESULTS" behind them. If the library
-- ends the process, the last line names the case, and the next run begins behind it (`first`).
-- Cases that the documentation calls undefined, and those that are known to crash a library, are not here.
local number = 0
local function case(name, call)
  number = number + 1
  if number < param.first then return end
  print(("%d at %s"):format(number, name))
  local got = table.pack(pcall(call))
  local results = got[1] and {} or { "no call: " .. tostring(got[2]) }
  for i = 2, got[1] and got.n or 1 do
    local known = math.type(got[i]) or type(got[i]) == "string" or got[i] == nil
    results[#results + 1] = known and tostring(got[i]) or type(got[i])
  end
  local last = C.cudaGetLastError()
  print(("%d got %s%s"):format(number, table.concat(results, " "), last ~= 0 and ", last error " .. last or ""))
end

-- In a group, the code of the call and that of the end of the group.
local function grouped(call)
  return function()
    C.check(C.ncclGroupStart())
    local rc = call()
    return rc, C.ncclGroupEnd()
  end
end

local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64)
local function value(...) return ... end
local function done(rc) return rc, C.cudaStreamSynchronize(stream) end

-- ---- calls that move data: one argument after the other is a bad one ----

local calls = {
  { "ncclAllReduce", { x, y, 4, C.ncclFloat32, C.ncclSum, "comm", stream }, dtype = 4, op = 5 },
  { "ncclReduce", { x, y, 4, C.ncclFloat32, C.ncclSum, 0, "comm", stream }, dtype = 4, op = 5, root = 6 },
  { "ncclReduceScatter", { x, y, 4, C.ncclFloat32, C.ncclSum, "comm", stream }, dtype = 4, op = 5 },
  { "ncclBroadcast", { x, y, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 4, root = 5 },
  { "ncclBcast", { x, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 3, root = 4 },
  { "ncclAllGather", { x, y, 4, C.ncclFloat32, "comm", stream }, dtype = 4 },
  { "ncclAlltoAll", { x, y, 4, C.ncclFloat32, "comm", stream }, dtype = 4 },
  { "ncclGather", { x, y, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 4, root = 5 },
  { "ncclScatter", { x, y, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 4, root = 5 },
  { "ncclSend", { x, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 3, root = 4, pair = true },
  { "ncclRecv", { y, 4, C.ncclFloat32, 0, "comm", stream }, dtype = 3, root = 4, pair = true },
}
local wrong = {
  dtype = { -1, 12, 255 },
  op = { -1, 5, 1000, 2147483647 },
  root = { -1, 1, 2147483647 },
}

local function with(entry, at, bad, comm)
  local given = table.move(entry[2], 1, #entry[2], 1, {})
  given[#given - 1] = comm
  if at then given[at] = bad end
  return C[entry[1]](table.unpack(given, 1, #entry[2]))
end

for _, entry in ipairs(calls) do
  local name = entry[1]
  if C.has(name) then
    for _, what in ipairs { "dtype", "op", "root" } do
      for _, bad in ipairs(entry[what] and wrong[what] or {}) do
        local call = function() return with(entry, entry[what], bad, world) end
        case(("%s with %s %d"):format(name, what, bad), call)
        case(("%s with %s %d in a group"):format(name, what, bad), grouped(call))
      end
    end
    local nobody = function() return with(entry, nil, nil, nil) end
    case(name .. " without a communicator", nobody)
    case(name .. " without a communicator in a group", grouped(nobody))
    if not entry.pair then
      case(name, function() return done(with(entry, nil, nil, world)) end)
    end
  end
end
case("a send to oneself alone", function() return C.ncclSend(x, 4, C.ncclFloat32, 0, world, stream) end)
case("a receive from oneself alone", function() return C.ncclRecv(x, 4, C.ncclFloat32, 0, world, stream) end)
case("a send to oneself and its receive", function()
  C.check(C.ncclGroupStart())
  local a = C.ncclSend(x, 4, C.ncclFloat32, 0, world, stream)
  local b = C.ncclRecv(y, 4, C.ncclFloat32, 0, world, stream)
  return a, b, done(C.ncclGroupEnd())
end)
for _, name in ipairs { "ncclAllReduce", "ncclBroadcast", "ncclAllGather" } do
  case(name .. " of nothing, without buffers", function()
    if name == "ncclAllReduce" then
      return done(C.ncclAllReduce(nil, nil, 0, C.ncclInt8, C.ncclSum, world, stream))
    elseif name == "ncclBroadcast" then
      return done(C.ncclBroadcast(nil, nil, 0, C.ncclInt8, 0, world, stream))
    end
    return done(C.ncclAllGather(nil, nil, 0, C.ncclInt8, world, stream))
  end)
end
case("two sends, of which one is bad", function()
  C.check(C.ncclGroupStart())
  local a = C.ncclAllReduce(x, y, 4, C.ncclFloat32, C.ncclSum, world, stream)
  local b = C.ncclAllReduce(x, y, 4, 99, C.ncclSum, world, stream)
  return a, b, C.ncclGroupEnd()
end)
case("an average of integers", function()
  return done(C.ncclAllReduce(x, y, 4, C.ncclInt32, C.ncclAvg, world, stream))
end)

-- ---- groups, ids, questions ----

case("ncclGroupEnd without a start", C.ncclGroupEnd)
case("an empty group", function() return C.ncclGroupStart(), C.ncclGroupEnd() end)
case("groups in a group", function()
  return C.ncclGroupStart(), C.ncclGroupStart(), C.ncclGroupEnd(), C.ncclGroupEnd(), C.ncclGroupEnd()
end)
for _, name in ipairs { "ncclCommCount", "ncclCommUserRank", "ncclCommCuDevice", "ncclCommGetAsyncError" } do
  case(name, function() return C[name](world) end)
  case(name .. "(NULL)", function() return C[name](nil) end)
end
for _, name in ipairs { "ncclCommFinalize", "ncclCommDestroy", "ncclCommAbort", "ncclMemFree" } do
  case(name .. "(NULL)", function() return C[name](nil) end)
  case(name .. "(NULL) in a group", grouped(function() return C[name](nil) end))
end

-- ---- communicators ----

local id = nccl.unique_id()
for _, try in ipairs { { 0, 0 }, { -1, 0 }, { 1, 1 }, { 1, -1 }, { 2, 2 }, { 2, 7 } } do
  case(("ncclCommInitRank, rank %d of %d"):format(try[2], try[1]), function()
    return (C.ncclCommInitRank(try[1], id, try[2]))
  end)
end
local function device_list(name, ndev, list)
  case("ncclCommInitAll, " .. name, function() return (C.ncclCommInitAll(ndev, list)) end)
end
device_list("-1 devices", -1, nil)
device_list("the device -1", 1, { -1 })
device_list("a device that is not there", 1, { 999 })
for _, field in ipairs {
  { "blocking", -1 }, { "blocking", 2 }, { "cgaClusterSize", -1 }, { "cgaClusterSize", 9 }, { "minCTAs", 0 },
  { "minCTAs", -1 }, { "maxCTAs", 0 }, { "maxCTAs", -1 }, { "splitShare", 2 }, { "splitShare", -1 },
  { "cgaClusterSize", 0 }, { "minCTAs", 1 }, { "maxCTAs", 64 }, { "netName", "nosuchnet" },
} do
  case(("ncclCommInitRankConfig with %s = %s"):format(field[1], field[2]), function()
    local rc, comm = C.ncclCommInitRankConfig(1, nccl.unique_id(), 0, C.ncclConfig { [field[1]] = field[2] })
    if rc == 0 then return rc, C.ncclCommDestroy(comm) end
    return rc
  end)
end
case("ncclCommInitRankConfig with minCTAs above maxCTAs", function()
  return (C.ncclCommInitRankConfig(1, nccl.unique_id(), 0, C.ncclConfig { minCTAs = 5, maxCTAs = 4 }))
end)
case("ncclCommInitRankConfig without a configuration", function()
  local rc, comm = C.ncclCommInitRankConfig(1, nccl.unique_id(), 0, nil)
  return rc, C.ncclCommFinalize(comm), C.ncclCommDestroy(comm)
end)
if C.has("ncclCommSplit") then
  case("ncclCommSplit(NULL)", function() return (C.ncclCommSplit(nil, 0, 0, nil)) end)
  case("ncclCommSplit without a color", function()
    local rc, comm = C.ncclCommSplit(world, C.NCCL_SPLIT_NOCOLOR, 0, nil)
    return rc, value(comm == nil and "no communicator" or "a communicator")
  end)
  for _, color in ipairs { 0, 7, -2 } do
    case("ncclCommSplit with color " .. color, function()
      local rc, comm = C.ncclCommSplit(world, color, -5, nil)
      if rc ~= 0 then return rc end
      return rc, select(2, C.ncclCommCount(comm)), C.ncclCommDestroy(comm)
    end)
  end
end
if C.has("ncclCommShrink") then
  case("ncclCommShrink without a list", function() return (C.ncclCommShrink(world, nil, 1, nil, 0)) end)
  case("ncclCommShrink with an empty list", function() return (C.ncclCommShrink(world, { 0 }, 0, nil, 0)) end)
  case("ncclCommShrink of oneself", function() return (C.ncclCommShrink(world, { 0 }, 1, nil, 0)) end)
end

-- ---- operators and memory ----

local factor = C.host("float32", 1):fill(2)
if C.has("ncclRedOpCreatePreMulSum") then
  local host = C.ncclScalarHostImmediate
  case("ncclRedOpCreatePreMulSum without a communicator", function()
    return (C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, host, nil))
  end)
  case("an operator, used and destroyed twice", function()
    local rc, op = C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, host, world)
    local used = C.ncclAllReduce(x, y, 4, C.ncclFloat32, op, world, stream)
    local other = C.ncclAllReduce(x, y, 4, C.ncclFloat16, op, world, stream)
    C.check(C.cudaStreamSynchronize(stream))
    return rc, used, other, C.ncclRedOpDestroy(op, world), C.ncclRedOpDestroy(op, world)
  end)
  for _, op in ipairs { C.ncclSum, C.ncclAvg, -1, 5, 1000 } do
    case(("ncclRedOpDestroy(%d)"):format(op), function() return C.ncclRedOpDestroy(op, world) end)
  end
  case("ncclRedOpDestroy without a communicator", function() return C.ncclRedOpDestroy(1000, nil) end)
end
if C.has("ncclMemAlloc") then
  case("ncclMemAlloc(0)", function()
    local rc, memory = C.ncclMemAlloc(0)
    return rc, C.ncclMemFree(memory)
  end)
  case("ncclMemAlloc and ncclMemFree", function()
    local rc, memory = C.ncclMemAlloc(4096)
    return rc, C.ncclMemFree(memory)
  end)
end
if C.has("ncclCommRegister") then
  case("ncclCommRegister without a communicator", function() return (C.ncclCommRegister(nil, x, x.bytes)) end)
  case("ncclCommDeregister of nothing", function() return C.ncclCommDeregister(world, nil) end)
  case("ncclCommDeregister without a communicator", function() return C.ncclCommDeregister(nil, nil) end)
end

-- ---- texts ----

for code = 0, 8 do
  case(("ncclGetErrorString(%d)"):format(code), function() return C.ncclGetErrorString(code) end)
end
for _, code in ipairs { 0, 1, 2, 3, 4, 9, 21, 34, 35, 46, 98, 100, 101, 201, 217, 400, 401, 500, 600, 700, 701, 704, 705,
                        708, 709, 710, 712, 713, 719, 800, 801, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 999,
                        12345 } do
  case(("cudaGetErrorName(%d)"):format(code), function() return C.cudaGetErrorName(code) end)
  case(("cudaGetErrorString(%d)"):format(code), function() return C.cudaGetErrorString(code) end)
end

-- ---- the CUDA runtime ----

local gpus = cuda.device_count()
for _, device in ipairs { -1, gpus, 2147483647 } do
  local name = device == gpus and "the number of GPUs" or device
  case(("cudaSetDevice of %s"):format(name), function() return C.cudaSetDevice(device) end)
  case(("cudaGetDeviceProperties of %s"):format(name), function() return (C.cudaGetDeviceProperties(device)) end)
  case(("cudaDeviceGetAttribute of %s"):format(name), function() return (C.cudaDeviceGetAttribute(1, device)) end)
  case(("cudaDeviceCanAccessPeer of %s"):format(name), function() return (C.cudaDeviceCanAccessPeer(0, device)) end)
  case(("cudaDeviceEnablePeerAccess of %s"):format(name), function() return C.cudaDeviceEnablePeerAccess(device, 0) end)
end
case("cudaDeviceGetAttribute, unknown", function() return (C.cudaDeviceGetAttribute(9999, 0)) end)
case("cudaDeviceGetByPCIBusId, no place", function() return (C.cudaDeviceGetByPCIBusId("nonsense")) end)
case("cudaDeviceCanAccessPeer of oneself", function() return C.cudaDeviceCanAccessPeer(0, 0) end)
case("cudaDeviceGetLimit, unknown", function() return (C.cudaDeviceGetLimit(99)) end)
case("cudaDeviceSetLimit, unknown", function() return C.cudaDeviceSetLimit(99, 1) end)
case("cudaFree(NULL)", function() return C.cudaFree(nil) end)
case("cudaFreeHost(NULL)", function() return C.cudaFreeHost(nil) end)
case("cudaMalloc(0)", function() return C.cudaMalloc(0) end)
case("cudaMalloc of all and more", function() return (C.cudaMalloc(1 << 50)) end)
case("cudaMalloc, cudaFree, cudaFree", function()
  local rc, memory = C.cudaMalloc(256)
  return rc, C.cudaFree(memory), C.cudaFree(memory)
end)
case("cudaFreeHost of device memory", function() return C.cudaFreeHost(x) end)
case("cudaHostUnregister of device memory", function() return C.cudaHostUnregister(x) end)
case("cudaMemcpy of nothing", function() return C.cudaMemcpy(nil, nil, 0, C.cudaMemcpyDefault) end)
case("cudaMemcpy in an unknown direction", function() return C.cudaMemcpy(x, y, 16, 99) end)
case("cudaMemset of nothing", function() return C.cudaMemset(nil, 0, 0) end)
for flags = 0, 3 do
  case("cudaStreamCreateWithFlags, " .. flags, function()
    local rc, s = C.cudaStreamCreateWithFlags(flags)
    if rc ~= 0 then return rc end
    return rc, C.cudaStreamDestroy(s)
  end)
end
case("cudaStreamDestroy of the default stream", function() return C.cudaStreamDestroy(nil) end)
case("cudaStreamSynchronize of the default stream", function() return C.cudaStreamSynchronize(nil) end)
case("cudaStreamQuery", function() return C.cudaStreamQuery(stream) end)
case("cudaStreamWaitEvent without an event", function() return C.cudaStreamWaitEvent(stream, nil, 0) end)
case("cudaStreamGetDevice", function() return C.cudaStreamGetDevice(stream) end)
for _, name in ipairs { "cudaEventDestroy", "cudaEventQuery", "cudaEventSynchronize" } do
  case(name .. "(NULL)", function() return C[name](nil) end)
end
case("cudaEventRecord without an event", function() return C.cudaEventRecord(nil, stream) end)
for _, flags in ipairs { 0, 1, 2, 3, 4, 6, 8 } do
  case("cudaEventCreateWithFlags, " .. flags, function()
    local rc, event = C.cudaEventCreateWithFlags(flags)
    if rc ~= 0 then return rc end
    return rc, C.cudaEventDestroy(event)
  end)
end
case("events that were never recorded", function()
  local event = C.check(C.cudaEventCreate())
  return C.cudaEventQuery(event), C.cudaEventSynchronize(event), C.cudaStreamWaitEvent(stream, event, 0),
    C.cudaEventDestroy(event)
end)
case("the time between events that were never recorded", function()
  local a, b = C.check(C.cudaEventCreate()), C.check(C.cudaEventCreate())
  return (C.cudaEventElapsedTime(a, b)), C.cudaEventDestroy(a), C.cudaEventDestroy(b)
end)
case("the time between events without times", function()
  local a, b = C.check(C.cudaEventCreateWithFlags(2)), C.check(C.cudaEventCreateWithFlags(2))
  C.check(C.cudaEventRecord(a, stream))
  C.check(C.cudaEventRecord(b, stream))
  C.check(C.cudaStreamSynchronize(stream))
  return (C.cudaEventElapsedTime(a, b)), C.cudaEventDestroy(a), C.cudaEventDestroy(b)
end)
case("the last error stays, until somebody asks for it", function()
  C.cudaSetDevice(-1)
  return C.cudaPeekAtLastError(), C.cudaGetLastError(), C.cudaGetLastError()
end)

-- All of this has left the communicator as good as new.
case("an all-reduce at last", function()
  return done(C.ncclAllReduce(x, y, 4, C.ncclFloat32, C.ncclSum, world, stream))
end)
print("0 done")
