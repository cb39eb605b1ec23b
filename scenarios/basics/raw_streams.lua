scenario { ranks = 2, about = "streams, events and memory in their order through C" }

local function value(want, rc, got)
  expect.equal(rc, C.cudaSuccess)
  expect.equal(got, want)
end

local s = C.check(C.cudaStreamCreateWithPriority(C.cudaStreamNonBlocking, -1))
value(-1, C.cudaStreamGetPriority(s))
value(C.cudaStreamNonBlocking, C.cudaStreamGetFlags(s))
value(C.check(C.cudaGetDevice()), C.cudaStreamGetDevice(s))
expect.that(C.check(C.cudaStreamGetId(s)) ~= C.check(C.cudaStreamGetId(stream)), "ids differ")

local before, after = C.check(C.cudaEventCreate()), C.check(C.cudaEventCreate())
local plain = C.check(C.cudaEventCreateWithFlags(C.cudaEventDisableTiming))
value(nil, C.cudaEventRecord(before, s))
s:delay(0.25)
value(nil, C.cudaEventRecordWithFlags(after, s, C.cudaEventRecordDefault))
value(nil, C.cudaEventRecord(plain, s))
expect.equal(C.cudaEventQuery(after), C.cudaErrorNotReady)
expect.equal(C.cudaStreamQuery(s), C.cudaErrorNotReady)
value(nil, C.cudaStreamWaitEvent(stream, after, C.cudaEventWaitDefault))
expect.equal(C.cudaStreamQuery(stream), C.cudaErrorNotReady)
value(nil, C.cudaEventSynchronize(after))
local rc, milliseconds = C.cudaEventElapsedTime(before, after)
expect.that(milliseconds >= 249) -- of real time, more
expect.equal(C.cudaEventElapsedTime(before, plain), C.cudaErrorInvalidResourceHandle)

-- Memory that comes and goes with the stream, from the device's pool and from one of its own.
local device = C.check(C.cudaGetDevice())
local pool = C.check(C.cudaMemPoolCreate {
  allocType = C.cudaMemAllocationTypePinned,
  location = { type = C.cudaMemLocationTypeDevice, id = device },
})
local host = C.host("uint8", 64)
local own, common = C.check(C.cudaMallocFromPoolAsync(64, pool, s)), C.check(C.cudaMallocAsync(64, s))
for _, memory in ipairs { own, common } do
  value(nil, C.cudaMemsetAsync(memory, 7, 64, s))
  value(nil, C.cudaMemcpyAsync(host, memory, 64, C.cudaMemcpyDeviceToHost, s))
  value(nil, C.cudaFreeAsync(memory, s))
  value(nil, C.cudaStreamSynchronize(s))
  expect.equal(host, 7)
end
local default = C.check(C.cudaDeviceGetMemPool(device))
value(nil, C.cudaMemPoolTrimTo(default, 0))
value(nil, C.cudaDeviceSetMemPool(device, pool))
value(nil, C.cudaDeviceSetMemPool(device, default))
value(nil, C.cudaMemPoolDestroy(pool))

value(C.cudaStreamCaptureStatusNone, C.cudaStreamIsCapturing(s))
for _, e in ipairs { before, after, plain } do
  value(nil, C.cudaEventDestroy(e))
end
value(nil, C.cudaStreamDestroy(s))
