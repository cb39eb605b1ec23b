scenario {
  ranks  = 2,
  params = { count = 4096 },
  needs  = { nccl = "2.19" },
  about  = "memory from NCCL, registered for reuse, and given back in the right order",
}

-- Bindings of the whole API wrap NCCL's allocator, so that arrays can be registered, and have to
-- keep three lifetimes apart: the memory's, the registration's, the communicator's.
local bytes = param.count * 4
local p = C.check(C.ncclMemAlloc(bytes))
local handle = C.check(C.ncclCommRegister(world, p, bytes))

local host = C.host("float32", param.count):fill(rank + 1)
C.check(C.cudaMemcpyAsync(p, host, bytes, C.cudaMemcpyHostToDevice, stream))
for _ = 1, 3 do
  C.check(C.ncclAllReduce(p, p, param.count, C.ncclFloat32, C.ncclMax, world, stream))
end
C.check(C.cudaMemcpyAsync(host, p, bytes, C.cudaMemcpyDeviceToHost, stream))
C.check(C.cudaStreamSynchronize(stream))
expect.equal(host, nranks)

-- First what is registered, then the memory. NCCL may have nothing to register: no handle, and no
-- error either.
C.check(C.ncclCommDeregister(world, handle))
C.check(C.ncclMemFree(p))
C.check(C.ncclMemFree(nil))

-- The same as objects.
local x <close> = cuda.buffer("float32", param.count, { memory = "nccl" })
local registration <close> = world:register(x)
world:all_reduce(x:fill(1))
stream:sync()
expect.equal(x, nranks)
