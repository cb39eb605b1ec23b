scenario {
  ranks = 4,
  about = "the five collectives on the caller's stream: pointers, counts, numbers for types",
}

-- A thin binding adds nothing: who calls brings the stream, and has to know which of the two
-- buffers a count speaks of.
local s = C.check(C.cudaStreamCreateWithFlags(C.cudaStreamNonBlocking))
local n = 60
local one = cuda.buffer("int64", n)
local all = cuda.buffer("int64", n * nranks)

one:fill(rank)
C.check(C.ncclAllReduce(one, one, n, C.ncclInt64, C.ncclMax, world, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(one, nranks - 1)

one:fill(function(i) return rank == 0 and i or -1 end)
C.check(C.ncclBroadcast(one, one, n, C.ncclInt64, 0, world, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(one, function(i) return i end)

-- The root alone receives a reduce. The other ranks may pass null, or a buffer that stays as it is.
local last, sum = nranks - 1, cuda.buffer("int64", n):fill(-1)
one:fill(function(i) return rank + i end)
C.check(C.ncclReduce(one, sum, n, C.ncclInt64, C.ncclSum, last, world, s))
C.check(C.ncclReduce(one, rank == 0 and one or nil, n, C.ncclInt64, C.ncclMin, 0, world, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(sum, function(i) return rank == last and nranks * (nranks - 1) // 2 + nranks * i or -1 end)
expect.equal(one, function(i) return rank + i end) -- on rank 0 in place: the least is its own

-- All-gather counts what a rank sends.
one:fill(10 * rank)
C.check(C.ncclAllGather(one, all, n, C.ncclInt64, world, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(all, function(i) return 10 * ((i - 1) // n) end)

-- Reduce-scatter counts what a rank receives. In place that is the rank's part of what it sends:
-- pointers are moved by bytes.
C.check(C.ncclReduceScatter(all, all.ptr + rank * n * 8, n, C.ncclInt64, C.ncclSum, world, s))
C.check(C.cudaStreamSynchronize(s))
expect.equal(all:part(rank), 10 * rank * nranks)

C.check(C.cudaStreamDestroy(s))
