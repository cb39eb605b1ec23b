scenario { ranks = 2, about = "device, managed, pinned and pageable memory; rows; registered memory" }

local n = 256
local device  = cuda.buffer("int32", n)
local managed = cuda.buffer("int32", n, { memory = "managed" })
local pinned  = cuda.buffer("int32", n, { memory = "pinned" })
local host    = cuda.buffer("int32", n, { memory = "pageable" })

-- What an address is.
local kinds = { device = 2, managed = 3, pinned = 1, pageable = 0 }
for _, x in ipairs { device, managed, pinned, host } do
  local at = C.check(C.cudaPointerGetAttributes(x:slice(2).ptr))
  expect.equal(at.type, kinds[x.memory])
end

-- Once around: every kind can be copied to every other.
host:fill(function(i) return i * (rank + 1) end)
pinned:copy_from(host)
device:copy_from(pinned, { stream = stream })
managed:copy_from(device, { stream = stream })
world:all_reduce(managed)
stream:sync()
expect.equal(managed, function(i) return i * nranks * (nranks + 1) // 2 end)

-- A copy to pinned memory returns at once; one to pageable memory is waited for, until it is pinned.
stream:delay(0.25)
pinned:copy_from(managed, { stream = stream })
expect.that(not stream:query(), "pinned: asynchronous")
host:copy_from(managed, { stream = stream })
expect.that(stream:query(), "pageable: waited for")
expect.equal(C.cudaHostRegister(host, host.bytes, 0), 0)
expect.equal(C.cudaHostRegister(host.ptr + 4, 4, 0), C.cudaErrorHostMemoryAlreadyRegistered)
stream:delay(0.25)
host:copy_from(device, { stream = stream })
expect.that(not stream:query(), "pinned by registration: asynchronous")
stream:sync()
expect.equal(host, function(i) return i * (rank + 1) end)
expect.equal(C.cudaHostUnregister(host), 0)
expect.equal(C.cudaHostUnregister(host), C.cudaErrorHostMemoryNotRegistered)

-- Columns 1 and 2 of four rows of eight.
local column = cuda.buffer("int32", 8):fill(0)
C.check(C.cudaMemcpy2D(column, 8, device, 32, 8, 4, C.cudaMemcpyDeviceToDevice))
cuda.sync()
expect.equal(column, function(i) return ((i - 1) // 2 * 8 + (i - 1) % 2 + 1) * (rank + 1) end)
expect.equal(C.cudaMemcpy2D(column, 4, device, 32, 8, 4, C.cudaMemcpyDefault), 12)
