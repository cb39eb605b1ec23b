scenario {
  ranks = 2,
  about = "memory that is allocated and freed in the order of a stream",
  sim = { memory = "64M" },
}

local total = select(2, cuda.memory())
local result = cuda.buffer("float32", 1024)

-- The host waits for nothing here: the memory of a step is freed when the stream has come that far.
for step = 1, 4 do
  local x = cuda.buffer("float32", 1024, { stream = stream })
  x:fill(step * (rank + 1), { stream = stream })
  world:all_reduce(x)
  result:copy_from(x, { stream = stream })
  x:free { stream = stream }
end
stream:sync()
expect.equal(result, 4 * nranks * (nranks + 1) / 2)
expect.equal(cuda.memory(), total - result.bytes)

-- What is freed so can be allocated again at once.
local half = total // 2
for _ = 1, 4 do
  cuda.buffer("uint8", half, { stream = stream }):free { stream = stream }
end
expect.error("cudaErrorMemoryAllocation", cuda.buffer, "uint8", total, { stream = stream })

-- A pool counts what is taken from it.
local pool = C.check(C.cudaDeviceGetDefaultMemPool(cuda.device()))
local used = C.host("uint64", 1)
C.check(C.cudaMemPoolGetAttribute(pool, C.cudaMemPoolAttrUsedMemCurrent, used))
expect.equal(used, 0)
stream:sync()
