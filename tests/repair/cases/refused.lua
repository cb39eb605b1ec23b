-- NCCL refuses the call of rank 2, which nobody notices.
scenario { ranks = 3, outcome = { hang = { culprit = 2, why = "error-path" } } }

local x = cuda.buffer("int32", 4):fill(rank + 1)
C.ncclBroadcast(x, x, #x, C.ncclInt32, rank == 2 and 7 or 0, world, stream)
C.cudaStreamSynchronize(stream)
expect.equal(x, 1)
