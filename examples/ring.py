"""A ring of four ranks in one process: each sends its number to the next one. NCCL and CUDA are called by ctypes, so that
nothing needs to be installed:

    ncclscript exec -n 4 -- python3 examples/ring.py
    ncclscript exec -n 4 -- python3 examples/ring.py 2     # rank 2 forgets to receive: a hang, explained
"""
import ctypes
import sys
import threading

RANKS, COUNT, FLOAT32 = 4, 8, 7
nccl, cuda = ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcudart.so.13")
forgets = int(sys.argv[1]) if len(sys.argv) > 1 else None


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def check(code):
    if code:
        raise RuntimeError(f"error {code}")


def pointer():
    return ctypes.c_void_p()


def ring(rank, unique_id, received):
    comm, stream, send, recv = pointer(), pointer(), pointer(), pointer()
    values = (ctypes.c_float * COUNT)(*[rank] * COUNT)
    size = ctypes.c_size_t(ctypes.sizeof(values))
    check(cuda.cudaSetDevice(rank))
    check(cuda.cudaStreamCreate(ctypes.byref(stream)))
    check(cuda.cudaMalloc(ctypes.byref(send), size))
    check(cuda.cudaMalloc(ctypes.byref(recv), size))
    check(cuda.cudaMemcpy(send, values, size, 1))  # to the device
    check(nccl.ncclCommInitRank(ctypes.byref(comm), RANKS, unique_id, rank))

    check(nccl.ncclGroupStart())
    check(nccl.ncclSend(send, ctypes.c_size_t(COUNT), FLOAT32, (rank + 1) % RANKS, comm, stream))
    if rank != forgets:
        check(nccl.ncclRecv(recv, ctypes.c_size_t(COUNT), FLOAT32, (rank - 1) % RANKS, comm, stream))
    check(nccl.ncclGroupEnd())
    check(cuda.cudaStreamSynchronize(stream))

    check(cuda.cudaMemcpy(values, recv, size, 2))  # to the host
    received[rank] = values[COUNT - 1]
    check(nccl.ncclCommDestroy(comm))
    check(cuda.cudaFree(send))
    check(cuda.cudaFree(recv))
    check(cuda.cudaStreamDestroy(stream))


unique_id, received = UniqueId(), [None] * RANKS
check(nccl.ncclGetUniqueId(ctypes.byref(unique_id)))
threads = [threading.Thread(target=ring, args=(rank, unique_id, received)) for rank in range(RANKS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("received", received)
sys.exit(received != [(rank - 1) % RANKS for rank in range(RANKS)])
