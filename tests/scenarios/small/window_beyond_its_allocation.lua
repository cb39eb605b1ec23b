-- NCCL looks up the memory behind each address of a window (2.30.7), and finds none behind the pages of the allocation.
scenario { ranks = 2 }
local memory <close> = cuda.buffer("uint8", 4096, { memory = "nccl" })
expect.equal(C.ncclCommWindowRegister(world, memory.ptr, 16 << 20, 1), C.ncclUnhandledCudaError)
