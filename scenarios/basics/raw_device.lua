scenario { ranks = 2, needs = { gpus = 2 }, about = "devices, versions, limits and errors through C" }

local function value(want, rc, got)
  expect.equal(rc, C.cudaSuccess)
  expect.equal(got, want)
end

local count = C.check(C.cudaGetDeviceCount())
local other = (rank + 1) % 2
value(rank % count, C.cudaGetDevice())
value(1, C.cudaDeviceCanAccessPeer(rank, other))
value(0, C.cudaDeviceCanAccessPeer(rank, rank))
value(32, C.cudaDeviceGetAttribute(C.cudaDevAttrWarpSize, rank))
value(cuda.runtime_version(), C.cudaRuntimeGetVersion())
value(cuda.driver_version(), C.cudaDriverGetVersion())

-- Access is enabled once; what failed is remembered, by the runtime until it is asked, by NCCL for good.
value(nil, C.cudaDeviceEnablePeerAccess(other, 0))
expect.equal(C.cudaDeviceEnablePeerAccess(other, 0), C.cudaErrorPeerAccessAlreadyEnabled)
expect.equal(C.cudaPeekAtLastError(), C.cudaErrorPeerAccessAlreadyEnabled)
expect.equal(C.cudaGetLastError(), C.cudaErrorPeerAccessAlreadyEnabled)
expect.equal(C.cudaGetLastError(), C.cudaSuccess)
expect.equal(C.cudaGetErrorName(C.cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation")
expect.equal(C.cudaGetErrorString(C.cudaErrorMemoryAllocation), "out of memory")
expect.equal(C.ncclCommCount(nil), C.ncclInvalidArgument)
expect.that(C.ncclGetLastError(nil) ~= "", "NCCL says why")
expect.equal(C.ncclGetErrorString(C.ncclSuccess), "no error")

value(nil, C.cudaDeviceSetLimit(C.cudaLimitStackSize, 4096))
value(4096, C.cudaDeviceGetLimit(C.cudaLimitStackSize))
value(nil, C.cudaSetDeviceFlags(C.cudaDeviceScheduleSpin))
local rc, flags = C.cudaGetDeviceFlags()
value(C.cudaDeviceScheduleSpin, rc, flags & C.cudaDeviceScheduleMask)
local least, greatest = C.check(C.cudaDeviceGetStreamPriorityRange())
expect.that(greatest < least, "the greatest priority is the lowest number")
local free, total = C.check(C.cudaMemGetInfo())
expect.that(0 < free and free <= total)

-- A profiler may be started and stopped; there is no driver API behind this runtime.
value(nil, C.cudaProfilerStart())
value(nil, C.cudaProfilerStop())
local rc, address, status = C.cudaGetDriverEntryPoint("cuNothing", 0)
expect.equal(address, nil)
expect.equal(status, C.cudaDriverEntryPointSymbolNotFound)
rc, address, status = C.cudaGetDriverEntryPointByVersion("cuNothing", 13000, 0)
expect.equal(status, C.cudaDriverEntryPointSymbolNotFound)

-- A reset frees what is on the device; nobody else uses this one.
value(nil, C.cudaSetDevice(count - 1 - rank))
local before = C.check(C.cudaMemGetInfo())
C.check(C.cudaMalloc(1 << 20))
value(nil, C.cudaDeviceReset())
value(before, C.cudaMemGetInfo())
value(nil, C.cudaDeviceSynchronize())
