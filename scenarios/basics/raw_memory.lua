scenario { ranks = 2, needs = { gpus = 2 }, about = "memory of all kinds, rows and peers through C" }

local function works(rc)
  expect.equal(rc, C.cudaSuccess)
end

local device, other = rank, (rank + 1) % 2
local host = C.host("uint8", 400)

-- Four rows of 100 bytes, each at the beginning of a line of the device's own length.
local rows, pitch = C.check(C.cudaMallocPitch(100, 4))
expect.that(pitch >= 100 and pitch % 256 == 0)
works(C.cudaMemset2D(rows, pitch, 1, 100, 4))
works(C.cudaDeviceSynchronize())
works(C.cudaMemset2DAsync(rows + pitch, pitch, 2, 100, 2, stream))
works(C.cudaMemcpy2DAsync(host, 100, rows, pitch, 100, 4, C.cudaMemcpyDeviceToHost, stream))
works(C.cudaStreamSynchronize(stream))
expect.equal(host, function(i) return (i <= 100 or i > 300) and 1 or 2 end)

-- Pinned memory, which the device sees too.
local pinned = C.check(C.cudaHostAlloc(64, C.cudaHostAllocMapped))
local seen = C.check(C.cudaHostGetDevicePointer(pinned, 0))
local rc, flags = C.cudaHostGetFlags(pinned)
expect.that(flags & C.cudaHostAllocMapped ~= 0, "mapped")
works(C.cudaMemset(seen, 5, 64))
works(C.cudaDeviceSynchronize())
works(C.cudaMemcpy(host, pinned, 64, C.cudaMemcpyHostToHost))
expect.equal(host:slice(1, 64), 5)
works(C.cudaFreeHost(pinned))
works(C.cudaFreeHost((C.check(C.cudaMallocHost(64)))))

-- Managed memory, fetched to where it will be used.
local managed = C.check(C.cudaMallocManaged(64, C.cudaMemAttachGlobal))
works(C.cudaMemset(managed, 9, 64))
works(C.cudaMemPrefetchAsync(managed, 64, { type = C.cudaMemLocationTypeDevice, id = device }, 0, 0))
works(C.cudaDeviceSynchronize())
works(C.cudaMemcpy(host, managed, 64, C.cudaMemcpyDefault))
expect.equal(host:slice(1, 64), 9)
works(C.cudaFree(managed))

-- From this device to the next one.
works(C.cudaSetDevice(other))
local far = C.check(C.cudaMalloc(200))
works(C.cudaSetDevice(device))
works(C.cudaMemcpyPeer(far, other, rows, device, 100))
works(C.cudaMemcpyPeerAsync(far + 100, other, rows + pitch, device, 100, stream))
works(C.cudaStreamSynchronize(stream))
works(C.cudaMemcpy(host, far, 200, C.cudaMemcpyDeviceToHost))
expect.equal(host:slice(1, 200), function(i) return i <= 100 and 1 or 2 end)
works(C.cudaFree(far))
works(C.cudaFree(rows))
