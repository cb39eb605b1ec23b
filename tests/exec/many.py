"""Ranks as processes that multiprocessing starts: `many.py RANKS [skip]`. Calls go through ctypes, as those of bindings."""

import ctypes as c
import multiprocessing
import sys

FLOAT32, SUM, TO_DEVICE, TO_HOST, COUNT = 7, 0, 1, 2, 8


class UniqueId(c.Structure):
    _fields_ = [("bytes", c.c_byte * 128)]


def check(code):
    if code:
        raise SystemExit(f"returned {code}")


def reduce(nccl, cuda, x, comm):
    check(nccl.ncclAllReduce(x, x, c.c_size_t(COUNT), FLOAT32, SUM, comm, None))
    check(cuda.cudaStreamSynchronize(None))


def launch(nccl, cuda, x, comm, times):
    """The all-reduce as a graph, launched so often."""
    stream, graph, executable = c.c_void_p(), c.c_void_p(), c.c_void_p()
    check(cuda.cudaStreamCreate(c.byref(stream)))
    check(cuda.cudaStreamBeginCapture(stream, 1))
    check(nccl.ncclAllReduce(x, x, c.c_size_t(COUNT), FLOAT32, SUM, comm, stream))  # line: captured
    check(cuda.cudaStreamEndCapture(stream, c.byref(graph)))
    check(cuda.cudaGraphInstantiate(c.byref(executable), graph, c.c_ulonglong(0)))
    for _ in range(times):
        check(cuda.cudaGraphLaunch(executable, stream))
    check(cuda.cudaStreamSynchronize(stream))  # line: waits
    check(cuda.cudaGraphExecDestroy(executable))
    check(cuda.cudaGraphDestroy(graph))
    check(cuda.cudaStreamDestroy(stream))


def main(rank, ranks, mode, queues):
    nccl, cuda = c.CDLL("libnccl.so.2"), c.CDLL("libcudart.so.13")
    unique_id, comm, x = UniqueId(), c.c_void_p(), c.c_void_p()
    values = (c.c_float * COUNT)(*[rank + 1] * COUNT)
    check(cuda.cudaSetDevice(rank))
    check(cuda.cudaMalloc(c.byref(x), c.c_size_t(c.sizeof(values))))
    check(cuda.cudaMemcpy(x, values, c.c_size_t(c.sizeof(values)), TO_DEVICE))
    if rank == 0:
        check(nccl.ncclGetUniqueId(c.byref(unique_id)))
        for queue in queues[1:]:
            queue.put(bytes(unique_id))
    else:
        unique_id = UniqueId.from_buffer_copy(queues[rank].get())
    check(nccl.ncclCommInitRank(c.byref(comm), ranks, unique_id, rank))
    if mode in ("graph", "less"):
        launch(nccl, cuda, x, comm, 1 if mode == "less" and rank == 1 else 2)
    else:
        reduce(nccl, cuda, x, comm)
        if mode != "skip" or rank != 1:
            reduce(nccl, cuda, x, comm)  # line: skipped
    check(nccl.ncclBroadcast(x, x, c.c_size_t(COUNT), FLOAT32, 0, comm, None))  # line: broadcast
    check(cuda.cudaStreamSynchronize(None))
    check(cuda.cudaMemcpy(values, x, c.c_size_t(c.sizeof(values)), TO_HOST))
    if list(values) != [ranks * ranks * (ranks + 1) / 2] * COUNT:
        raise SystemExit(f"rank {rank} has {list(values)}")
    check(nccl.ncclCommDestroy(comm))
    check(cuda.cudaFree(x))
    sys.stdout.write(f"rank {rank} of {ranks}: ok\n")  # whole, as other processes print, too
    sys.stdout.flush()


if __name__ == "__main__":
    ranks, mode = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "right"
    context = multiprocessing.get_context("spawn")
    queues = [context.Queue() for _ in range(ranks)]
    processes = [context.Process(target=main, args=(r, ranks, mode, queues)) for r in range(ranks)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sys.exit(max(abs(process.exitcode) for process in processes))
