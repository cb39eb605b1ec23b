-- Memory of a rank's own process and of the process that runs the scripts.
scenario { ranks = 2 }
local F32 = C.ncclFloat32

-- A scalar in pinned memory of the rank's process is read there.
local two = cuda.buffer("float32", 1, { memory = "pinned" }):fill(2)
local op = C.check(C.ncclRedOpCreatePreMulSum(two, F32, C.ncclScalarHostImmediate, world))
local x = cuda.buffer("float32", 8):fill(rank + 1)
C.check(C.ncclAllReduce(x, x, 8, F32, op, world, stream))
C.check(C.cudaStreamSynchronize(stream))
expect.equal(x, 2 * nranks * (nranks + 1) / 2)
C.check(C.ncclRedOpDestroy(op, world))

-- Rows between pageable and device memory: what lies between the rows stays.
local host, device = cuda.buffer("int32", 32, { memory = "pageable" }):fill(7), cuda.buffer("int32", 8):fill(rank + 1)
C.check(C.cudaMemcpy2D(host, 32, device, 8, 8, 4, C.cudaMemcpyDefault))
expect.equal(host, function(i) return (i - 1) % 8 < 2 and rank + 1 or 7 end)

-- More rows than a message holds, there and back.
local many = cuda.buffer("uint8", 24 << 20, { memory = "pageable" }):fill(rank + 3)
local there = cuda.buffer("uint8", 24 << 20)
C.check(C.cudaMemcpy2D(there, 1 << 20, many, 1 << 20, 1 << 20, 24, C.cudaMemcpyDefault))
many:fill(0)
C.check(C.cudaMemcpy2D(many, 1 << 20, there, 1 << 20, 1 << 20, 24, C.cudaMemcpyDefault))
expect.equal(many, rank + 3)
C.check(C.cudaMemcpy(many, there, 24 << 20, C.cudaMemcpyDefault))
expect.equal(many, rank + 3)

-- What an address is.
local a = C.check(C.cudaPointerGetAttributes(x.ptr))
expect.equal(a.type, C.cudaMemoryTypeDevice)
expect.that(a.devicePointer == x.ptr, "the address as it was given")
expect.equal(C.check(C.cudaPointerGetAttributes(host.ptr)).type, C.cudaMemoryTypeUnregistered)

-- Errors stay with their thread until they are asked for.
expect.equal(C.cudaEventDestroy(nil), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaPeekAtLastError(), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaGetLastError(), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaGetLastError(), 0)
