-- What C names make is freed by C names, by objects, or with its communicator; what methods make is released.
scenario { ranks = 2, about = "C names make, and all is freed", needs = { nccl = "2.19" } }

local p = C.check(C.cudaMalloc(64))
C.check(C.cudaFree(p))
local host = C.check(C.cudaMallocHost(64))
C.check(C.cudaFreeHost(host))
local q = C.check(C.cudaMallocAsync(64, stream))
C.check(C.cudaFreeAsync(q, stream))
local s, e = C.check(C.cudaStreamCreate()), C.check(C.cudaEventCreate())
C.check(C.cudaEventRecord(e, s))
C.check(C.cudaStreamDestroy(s))
C.check(C.cudaEventDestroy(e))
C.cudaMalloc(0)

-- Operators and registrations end with their communicator.
local all = C.check(C.ncclCommSplit(world, 0, rank, nil))
local factor = C.host("float32", 1):fill(2)
C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, all))
local x = cuda.buffer("float32", 64):fill(1)
C.check(C.ncclCommRegister(all, x.ptr, 256))
C.check(C.ncclCommDestroy(all))

-- In a group, and one that failed.
C.ncclGroupStart()
local _, half = C.ncclCommSplit(world, 0, rank, nil)
C.check(C.ncclGroupEnd())
C.check(C.ncclCommDestroy(half))
C.ncclGroupStart()
C.ncclCommSplit(world, 0, rank, nil)
C.ncclBroadcast(nil, nil, 0, C.ncclInt8, nranks, world, stream)
expect.equal(C.ncclGroupEnd(), C.ncclInvalidArgument)

-- Made by methods, and left to the end.
for _ = 1, 3 do
  cuda.buffer("float32", 16)
  cuda.stream()
  world:premulsum("float32", 2)
end
