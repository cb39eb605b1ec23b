scenario {
  ranks = 4,
  about = "a barrier and a reduce on memory that nobody has written: the calls work, the values mean nothing",
}

-- A binding allocates the element of its barrier once and never fills it. NCCL adds whatever the memory
-- contains. Nobody reads the sum, so its value does not matter.
local one = cuda.buffer("float32", 1)
local function meet()
  C.check(C.ncclAllReduce(one, one, 1, C.ncclFloat32, C.ncclSum, world, stream))
  C.check(C.cudaStreamSynchronize(stream))
end

store:add("came", 1)
meet()
expect.equal(store:add("came", 0), nranks, { label = "all ranks came before one went on" })

-- A reduce reads every rank's send buffer and writes the root's receive buffer only. The receive buffers
-- of the other ranks may be missing or unwritten, and they stay as they are.
local n    = 100
local send = cuda.buffer("float32", n)
local recv = cuda.buffer("float32", n)
local root = nranks - 1
C.check(C.ncclReduce(send, recv, n, C.ncclFloat32, C.ncclSum, root, world, stream))
C.check(C.ncclReduce(send, rank == root and recv or nil, n, C.ncclFloat32, C.ncclSum, root, world, stream))
C.check(C.cudaStreamSynchronize(stream))

-- Once the memory is written, the next reduce has a result. It does not depend on what was there before.
if rank ~= root then
  recv:fill(-1)
end
send:fill(rank)
C.check(C.ncclReduce(send, recv, n, C.ncclFloat32, C.ncclSum, root, world, stream))
C.check(C.cudaStreamSynchronize(stream))
expect.equal(recv, rank == root and nranks * (nranks - 1) / 2 or -1)
meet()
