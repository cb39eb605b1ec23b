scenario {
  ranks = 2,
  needs = { gpus = 2 }, -- ranks that share a GPU must not share its default stream
  about = "null handles: where they mean nothing to do, where they mean a default, and where they are refused",
}

-- Foreign-function interfaces pass null for what is absent. To end nothing is a success.
local n = cuda.buffer("int32", 16):fill(rank)
for _, name in ipairs { "ncclCommFinalize", "ncclCommDestroy", "ncclCommAbort", "ncclMemFree", "cudaFree",
                        "cudaFreeHost" } do
  expect.equal(C[name](nil), 0, { label = name .. "(NULL)" })
end

-- NCCL refuses to work without a communicator, before it waits for anybody.
local refused = C.ncclInvalidArgument
for name, code in pairs {
  ncclCommCount    = C.ncclCommCount(nil),
  ncclCommCuDevice = C.ncclCommCuDevice(nil),
  ncclCommUserRank = C.ncclCommUserRank(nil),
  ncclCommGetAsyncError = C.ncclCommGetAsyncError(nil),
  ncclCommSplit    = C.ncclCommSplit(nil, 0, rank, nil),
  ncclAllReduce    = C.ncclAllReduce(n, n, 16, C.ncclInt32, C.ncclSum, nil, stream),
  ncclReduce       = C.ncclReduce(n, n, 16, C.ncclInt32, C.ncclSum, 0, nil, stream),
  ncclBroadcast    = C.ncclBroadcast(n, n, 16, C.ncclInt32, 0, nil, stream),
  ncclSend         = C.ncclSend(n, 16, C.ncclInt32, 1 - rank, nil, stream),
  ncclRecv         = C.ncclRecv(n, 16, C.ncclInt32, 1 - rank, nil, stream),
} do
  expect.equal(code, refused, { label = name .. " without a communicator" })
end

-- In a group the refusal comes back once more, from the end of the group.
C.check(C.ncclGroupStart())
expect.equal(C.ncclAllReduce(n, n, 16, C.ncclInt32, C.ncclSum, nil, stream), refused)
expect.equal(C.ncclGroupEnd(), refused)

-- The null stream is the default stream. There is no null event.
C.check(C.cudaStreamSynchronize(nil))
expect.equal(C.cudaStreamDestroy(nil), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaEventDestroy(nil), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaEventRecord(nil, stream), C.cudaErrorInvalidResourceHandle)

-- CUDA keeps the last of these errors until somebody asks for it. A later check would find it.
expect.equal(C.cudaGetLastError(), C.cudaErrorInvalidResourceHandle)
expect.equal(C.cudaGetLastError(), C.cudaSuccess)

-- The communicator that is there still works.
n:fill(rank)
C.check(C.ncclAllReduce(n, n, 16, C.ncclInt32, C.ncclSum, world, nil))
C.check(C.cudaStreamSynchronize(nil))
expect.equal(n, nranks * (nranks - 1) // 2)
