scenario {
  ranks = 2,
  needs = { driver = "sim" }, -- a real pool keeps what is freed, and nobody else's memory counts here
  about = "how much memory a stream's pool has, and when it is there again",
  sim = { memory = "64M" },
}

local total = select(2, cuda.memory())
local kept = cuda.buffer("float32", 1024)
cuda.buffer("float32", 1024, { stream = stream }):free { stream = stream }
stream:sync()
expect.equal(cuda.memory(), total - kept.bytes)

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
