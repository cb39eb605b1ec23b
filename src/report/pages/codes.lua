-- The result codes: of NCCL all, of CUDA those that programs meet. Fields: pages.lua.

result { "ncclSuccess", "no error",
  what = [[
Of a communication call: the work is enqueued, not done. The stream says when it is.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
expect.equal(world:all_reduce(x), "ncclSuccess") -- the sum need not be there yet
stream:sync()
expect.equal(x, 2)]],
  also = "stream ncclInProgress" }

result { "ncclUnhandledCudaError", "a call of CUDA's inside of NCCL failed",
  what = [[
No driver, no device, no memory, a stream of another device, or an earlier kernel that touched
memory that is not its own and took the device with it. The rank's peers are not told.]],
  see = [[
Ask cudaGetLastError and run with NCCL_DEBUG=INFO, which has the code of CUDA.]],
  repair = [[
Look for the first error, which may be none of NCCL's.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1)
stream:callback(function() -- nothing of CUDA may be called in here, nor what calls it
  expect.error("ncclUnhandledCudaError", world.all_reduce, world, x)
end)
stream:sync()]],
  also = "cudaErrorIllegalAddress error-path" }

result { "ncclSystemError", "a call of the operating system's failed",
  what = [[
Sockets, shared memory, limits of open files or of locked memory, no network interface of the
name that NCCL_SOCKET_IFNAME asks for.]],
  see = [[
Run with NCCL_DEBUG=INFO, which tells the call and errno.]],
  repair = [[
Mend the machine or the limits (ulimit -l, /dev/shm of a container), then start again; the
other ranks have to be aborted.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1)
fault.fail { func = "ncclAllReduce", nth = 1, code = "ncclSystemError" }
expect.error("ncclSystemError", world.all_reduce, world, x)]],
  also = "error-path" }

result { "ncclInternalError", "NCCL found itself in a state that it does not expect",
  what = [[
Often that is the end of a call that another thread aborted, or a version that differs between
ranks.]],
  see = [[
NCCL_DEBUG=WARN tells the place; the version stands at the top of NCCL_DEBUG=VERSION.]],
  repair = [[
Look for an abort first, then compare the versions of all ranks.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1)
fault.fail { func = "ncclAllReduce", nth = 1, code = "ncclInternalError" }
expect.error("ncclInternalError", world.all_reduce, world, x)]],
  also = "abort-one-rank" }

result { "ncclInvalidArgument", "an argument that NCCL can check alone is wrong",
  what = [[
NULL, a root or peer that is no rank, no such type or operator, a communicator that was
destroyed or is still in progress. What ranks disagree on is never found: it hangs.]],
  see = [[
ncclGetLastError and NCCL_DEBUG=WARN tell which argument.]],
  repair = [[
Correct it, and look at the result of every call: a rank that goes on without the call leaves
the others waiting in it.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
expect.error("ncclInvalidArgument", function()
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream)) -- no such rank
end)]],
  also = "error-path ncclInvalidUsage" }

result { "ncclInvalidUsage", "each argument may be right, the call is not",
  what = [[
ncclGroupEnd without a start, two ranks on one GPU, two threads that launch on one communicator
at once, blocking and non-blocking communicators in one group, a call on a communicator that was
revoked.]],
  see = [[
NCCL_DEBUG=WARN tells which rule.]],
  repair = [[
Follow the rule. Later, on one rank only, it may also mean that a network noticed counts that
differ: see count-mismatch.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.error("ncclInvalidUsage", function()
  C.check(C.ncclGroupEnd()) -- without a start
end)]],
  also = "group count-mismatch ncclInvalidArgument" }

result { "ncclRemoteError", "another process ended, or the network to it did",
  what = [[
Only its neighbours hear of it, through ncclCommGetAsyncError; later calls on the communicator
fail with the same code.]],
  see = [[
Poll ncclCommGetAsyncError beside the work; a synchronisation of the stream tells nothing.]],
  repair = [[
Tell all ranks outside of NCCL, abort on each, then go on with those that are left.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.async_error { call = 1, code = "ncclRemoteError" }
local x = cuda.buffer("float32", 8):fill(1)
expect.error("ncclRemoteError", world.all_reduce, world, x)
expect.equal(world:async_error(), "ncclRemoteError")
world:abort() -- a destroy would fail with that error too]],
  also = "rank-lost link-cut abort-one-rank" }

result { "ncclInProgress", "a non-blocking communicator is not ready yet",
  what = [[
No error: the call goes on behind the scenes. Until ncclCommGetAsyncError says otherwise no other
call on the communicator may be made, and nothing need be on the stream yet.]],
  repair = [[
Poll ncclCommGetAsyncError until it is ncclSuccess or an error, then go on.]],
  ends = "pass", scenario = [[
scenario { ranks = 2, world = { blocking = false } }
while world:async_error() == "ncclInProgress" do
  sleep(1e-3)
end
expect.equal(world:async_error(), "ncclSuccess")]],
  also = "livelock ncclInvalidArgument" }

result { "ncclTimeout", "a barrier on the device took too long",
  what = [[
Of barriers on the device, from NCCL 2.30.3 on. No call of the host returns it: a host that waits
for a rank waits for ever.]],
  see = [[
What programs call an NCCL timeout is the watchdog of a framework: it saw that nothing went on.]],
  repair = [[
Look for who does not come: rank-lost, skipped-call.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.that(nccl.error_string("ncclTimeout")) -- no call of the host returns it]],
  also = "rank-lost skipped-call" }

error_code { "cudaSuccess", "no error",
  what = [[
Of an asynchronous call: the work is enqueued, not done. Errors of kernels come with a later call.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.equal(C.cudaDeviceSynchronize(), C.cudaSuccess)]],
  also = "stream" }

error_code { "cudaErrorInvalidValue", "an argument is wrong",
  what = [[
A pointer that CUDA does not know, a size beyond its allocation, flags that do not go together.]],
  repair = [[
Look at the extents and at who freed the memory.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.equal(C.cudaMalloc(-1), C.cudaErrorMemoryAllocation) -- as size_t, that is much
local rc = C.cudaMemcpy(nil, nil, 8, C.cudaMemcpyDefault)
expect.equal(rc, C.cudaErrorInvalidValue)]] }

error_code { "cudaErrorMemoryAllocation", "the device has no room",
  what = [[
Also where the memory is there but in pieces, or held by a pool of a framework. NCCL needs memory
of its own for each communicator and connection.]],
  see = [[
cudaMemGetInfo before the call; ncclCommMemStats tells what a communicator holds.]],
  repair = [[
Fewer or smaller buffers, fewer communicators, pools that give back. On one rank alone it makes
the others hang: see error-path.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
expect.error("cudaErrorMemoryAllocation", cuda.buffer, "int8", 1 << 50)]],
  also = "error-path" }

error_code { "cudaErrorInvalidDevicePointer", "a pointer is no memory of the device",
  what = [[
Memory of the host, or freed twice.]],
  repair = [[
See with cudaPointerGetAttributes what it is.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaFree", nth = 1, code = "cudaErrorInvalidDevicePointer" }
local p = C.check(C.cudaMalloc(8))
expect.equal(C.cudaFree(p), C.cudaErrorInvalidDevicePointer)
expect.equal(C.cudaFree(p), C.cudaSuccess)]],
  also = "illegal-access" }

error_code { "cudaErrorInsufficientDriver", "the driver is older than the runtime",
  what = [[
The machine's driver does not support this version of CUDA. NCCL then says ncclUnhandledCudaError.]],
  see = [[
ncclscript doctor tells the versions of both.]],
  repair = [[
A newer driver, or a program built with an older CUDA.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaGetDeviceCount", nth = 1, code = "cudaErrorInsufficientDriver" }
expect.error("cudaErrorInsufficientDriver", cuda.device_count)]] }

error_code { "cudaErrorNoDevice", "there is no GPU",
  what = [[
No driver is loaded, no device was passed to the container, or CUDA_VISIBLE_DEVICES hides them.]],
  see = [[
ncclscript doctor; nvidia-smi.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaGetDeviceCount", nth = 1, code = "cudaErrorNoDevice" }
expect.error("cudaErrorNoDevice", cuda.device_count)]],
  also = "cudaErrorInvalidDevice" }

error_code { "cudaErrorInvalidDevice", "there is no device of that number",
  what = [[
Devices are counted from 0 within the process: a rank of the job is no device number.]],
  repair = [[
Take the rank on this host, modulo the number of devices.]],
  ends = "pass", scenario = [[
scenario { ranks = 1, devices = 2 }
expect.error("cudaErrorInvalidDevice", cuda.set_device, 2)]],
  also = "cudaErrorNoDevice rank" }

error_code { "cudaErrorInvalidResourceHandle", "a stream or event that is none here",
  what = [[
It was destroyed, or belongs to another device than the current one.]],
  repair = [[
cudaSetDevice to the device of the stream before the call; keep streams until their last use.]],
  ends = "pass", scenario = [[
scenario { ranks = 1, devices = 2 }
local there = cuda.stream { device = 1 }
local e = cuda.event()
expect.error("cudaErrorInvalidResourceHandle", e.record, e, there) -- e is of device 0]],
  also = "stream event" }

error_code { "cudaErrorNotReady", "the work is not done yet",
  what = [[
No error: the answer of cudaStreamQuery and cudaEventQuery. It is no last error that stays.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
stream:delay(1)
expect.equal(C.cudaStreamQuery(stream), C.cudaErrorNotReady)
stream:sync()
expect.equal(C.cudaStreamQuery(stream), C.cudaSuccess)]],
  also = "livelock stream" }

error_code { "cudaErrorIllegalAddress", "a kernel touched memory that is not its own",
  what = [[
The device is spoilt for the process from then on: every later call fails with the same code, also
those of NCCL (ncclUnhandledCudaError).]],
  see = [[
The call that returns it is seldom the one that did it. Here the report names the operation, the
allocation and who freed it; on a GPU compute-sanitizer does.]],
  repair = [[
Check extents, and free only after the stream has passed.]],
  ends = "error", finding = "illegal-access", scenario = [[
scenario { ranks = 1 }
local x     = cuda.buffer("float32", 8):fill(1)
local other = cuda.stream()
stream:delay(1)
world:all_reduce(x)
x:free { stream = other } -- nothing orders this behind the operation
stream:sync()             -- cudaErrorIllegalAddress]],
  also = "illegal-access ncclUnhandledCudaError" }

error_code { "cudaErrorPeerAccessAlreadyEnabled", "access to that device was enabled before",
  what = [[
Harmless, but it stays as the last error, where the next check finds it.]],
  repair = [[
Ignore it and clear it with cudaGetLastError.]],
  ends = "pass", scenario = [[
scenario { ranks = 1, devices = 2 }
cuda.enable_peer(1)
expect.error("cudaErrorPeerAccessAlreadyEnabled", cuda.enable_peer, 1)]] }

error_code { "cudaErrorLaunchFailure", "a kernel ended with an error",
  what = [[
As an illegal address, but of another kind: the device is spoilt for the process.]],
  repair = [[
compute-sanitizer names the kernel. Abort the communicator on all ranks.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaStreamSynchronize", nth = 1, code = "cudaErrorLaunchFailure" }
expect.error("cudaErrorLaunchFailure", stream.sync, stream)]],
  also = "cudaErrorIllegalAddress error-path" }

error_code { "cudaErrorNotPermitted", "the call is not allowed here",
  what = [[
Most often a call of CUDA inside of a function that a stream runs (cudaLaunchHostFunc).]],
  repair = [[
Let the function only tell another thread what is to be done.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
stream:callback(function()
  expect.error("cudaErrorNotPermitted", cuda.sync)
end)
stream:sync()]],
  also = "host-wait stream" }

error_code { "cudaErrorNotSupported", "the device or the driver cannot do that",
  what = [[
Of memory pools, managed memory or capture on a machine that lacks them.]],
  see = [[
Ask with cudaDeviceGetAttribute before.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaMallocAsync", nth = 1, code = "cudaErrorNotSupported" }
expect.error("cudaErrorNotSupported", cuda.buffer, "int8", 8, { stream = stream })]] }

error_code { "cudaErrorStreamCaptureUnsupported", "the call cannot be captured into a graph",
  what = [[
A synchronisation or an allocation while the stream is being captured.]],
  repair = [[
Move it in front of the capture. The simulator does not capture.]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaStreamSynchronize", nth = 1, code = "cudaErrorStreamCaptureUnsupported" }
expect.error("cudaErrorStreamCaptureUnsupported", stream.sync, stream)]] }

error_code { "cudaErrorUnknown", "the driver does not know what went wrong",
  what = [[
A driver that was reset or updated while in use, a device that fell off the bus.]],
  see = [[
The kernel's log (dmesg, lines with Xid).]],
  ends = "pass", scenario = [[
scenario { ranks = 1 }
fault.fail { func = "cudaDeviceSynchronize", nth = 1, code = "cudaErrorUnknown" }
expect.error("cudaErrorUnknown", cuda.sync)]] }
