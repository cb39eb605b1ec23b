"""All GPUs from one thread through ctypes, as bindings do it."""

import ctypes as c
import sys

major = int(sys.argv[1])
nccl, cuda = c.CDLL("libnccl.so.2"), c.CDLL(f"libcudart.so.{major}")
# Bytes of cudaDeviceProp, and where its field multiProcessorCount lies.
PROPERTIES, AT_COUNT = {12: (1032, 388), 13: (1008, 384)}[major]
FLOAT32, SUM, TO_DEVICE, TO_HOST = 7, 0, 1, 2


def check(rc):
    if rc != 0:
        raise SystemExit(f"returned {rc}")


n = c.c_int()
check(cuda.cudaRuntimeGetVersion(c.byref(n)))
if n.value // 1000 != major:
    raise SystemExit(f"runtime {n.value}")
properties = c.create_string_buffer(b"\xff" * PROPERTIES, PROPERTIES)
get = cuda.cudaGetDeviceProperties_v2 if major == 12 else cuda.cudaGetDeviceProperties
check(get(properties, 0))
if int.from_bytes(properties.raw[AT_COUNT:AT_COUNT + 4], "little") != 132:
    raise SystemExit("multiProcessorCount")
check(cuda.cudaGetDeviceCount(c.byref(n)))
n = n.value
comms = (c.c_void_p * n)()
check(nccl.ncclCommInitAll(comms, n, None))
memory = []
for i in range(n):
    check(cuda.cudaSetDevice(i))
    p = c.c_void_p()
    check(cuda.cudaMalloc(c.byref(p), c.c_size_t(4)))
    check(cuda.cudaMemcpy(p, c.byref(c.c_float(i)), c.c_size_t(4), TO_DEVICE))
    memory.append(p)
check(nccl.ncclGroupStart())
for i in range(n):
    check(nccl.ncclAllReduce(memory[i], memory[i], c.c_size_t(1), FLOAT32, SUM,
                             c.c_void_p(comms[i]), None))
check(nccl.ncclGroupEnd())
for i in range(n):
    check(cuda.cudaSetDevice(i))
    x = c.c_float()
    check(cuda.cudaMemcpy(c.byref(x), memory[i], c.c_size_t(4), TO_HOST))
    if x.value != n * (n - 1) / 2:
        raise SystemExit(f"rank {i} has {x.value}")
    check(cuda.cudaFree(memory[i]))
    check(nccl.ncclCommDestroy(c.c_void_p(comms[i])))
print(f"python, CUDA {major}, {n} devices: ok")
