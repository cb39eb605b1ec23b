#!/usr/bin/env bash
# Lines of calls that Python makes through a binding, and lines that a program names itself.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1
job=("${sanitized[@]}" "${exec[@]}" -n 4)
client=$(realpath "${clients}places_named")

run "named by the program" 3 "${job[@]}" -- "$client"
says_nothing() { [ ! -s "$out/stdout" ] || fail "$name: standard output is not empty"; }
says_nothing
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    models/model\.py:20$'
reports '^    rank 1  call 5 is AllReduce float32 x 8 sum     models/model\.py:30$'
leaves_out '^  code'
run "named by the program, as JSON" 3 "${job[@]}" --format json -- "$client"
reports '"line": 30, "file": "models/model\.py", "at": "models/model\.py:30"'

# The innermost frame of the program's own: not that of an installed package, whose folder is site-packages.
mkdir -p "$out/site-packages/bound" "$out/elsewhere"
cat >"$out/site-packages/bound/__init__.py" <<'EOF'
import ctypes as c
nccl, cuda = c.CDLL("libnccl.so.2"), c.CDLL("libcudart.so.13")
class UniqueId(c.Structure):
    _fields_ = [("bytes", c.c_char * 128)]
def check(code):
    if code:
        raise RuntimeError(f"error {code}")
def reduce(x, count, comm):
    check(nccl.ncclAllReduce(x, x, c.c_size_t(count), 7, 0, comm, None))
    check(cuda.cudaStreamSynchronize(None))
def begin(rank, unique_id):
    x, comm = c.c_void_p(), c.c_void_p()
    check(cuda.cudaSetDevice(rank))
    check(cuda.cudaMalloc(c.byref(x), c.c_size_t(128)))
    check(nccl.ncclCommInitRank(c.byref(comm), 4, unique_id, rank))
    return x, comm
EOF
cat >"$out/skip.py" <<'EOF'
import sys, threading
sys.path.insert(0, sys.argv[1])
import bound
def main(rank, unique_id):
    x, comm = bound.begin(rank, unique_id)
    for step in range(3):
        bound.reduce(x, 8, comm)
        if rank != 2 or step != 1:
            bound.reduce(x, 16, comm)
        (lambda: bound.reduce(x, 32, comm))()  # in a frame of its own
unique_id = bound.UniqueId()
bound.check(bound.nccl.ncclGetUniqueId(bound.c.byref(unique_id)))
threads = [threading.Thread(target=main, args=(rank, unique_id)) for rank in range(4)]
for thread in threads:
    thread.start()
EOF
touch -d 2001-01-01 "$out/skip.py" "$out/site-packages/bound/__init__.py"
cat >"$out/site-packages/alone.py" <<'EOF'
import sys
sys.path[:0] = sys.argv[1:]
import bound
x, comm = bound.c.c_void_p(), (bound.c.c_void_p * 2)()
bound.check(bound.cuda.cudaMalloc(bound.c.byref(x), bound.c.c_size_t(64)) or bound.nccl.ncclCommInitAll(comm, 2, None))
bound.reduce(x, 8, bound.c.c_void_p(comm[0]))
EOF
# A binding keeps its thread's own lock, or the interpreter ends while a thread may still call.
cat >"$out/ends.py" <<'EOF'
import ctypes as c, threading, time
nccl, locked = c.CDLL("libnccl.so.2"), c.PyDLL("libnccl.so.2")
def poll():
    version = c.c_int()
    while True:
        nccl.ncclGetVersion(c.byref(version))
for _ in range(4):
    threading.Thread(target=poll, daemon=True).start()
version = c.c_int()
for _ in range(1000):
    locked.ncclGetVersion(c.byref(version))
print("version", version.value)
EOF

# An engine in C that works for a call of Python in a thread of its own, which has a state of Python and runs none.
cat >"$out/engine.c" <<'EOF'
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <pthread.h>

struct job { void *x; size_t count; ncclComm_t comm; int device, code; };

static void *work(void *arg)
{
    struct job *job = arg;
    ((int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure"))();
    ((void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_SaveThread"))();
    job->code = cudaSetDevice(job->device); /* a thread begins with device 0, whose default stream is another one */
    if (!job->code)
        job->code = ncclAllReduce(job->x, job->x, job->count, ncclFloat32, ncclSum, job->comm, NULL);
    if (!job->code)
        job->code = cudaStreamSynchronize(NULL);
    return NULL;
}

int backward(void *x, size_t count, ncclComm_t comm)
{
    struct job job = { x, count, comm, 0, 0 };
    pthread_t thread;
    cudaGetDevice(&job.device);
    pthread_create(&thread, NULL, work, &job);
    pthread_join(thread, NULL);
    return job.code;
}
EOF
cat >"$out/engine.py" <<'EOF'
import ctypes as c, os, sys, threading
sys.path.insert(0, "site-packages")
pipe = os.pipe()
rank = 0 if os.fork() else 1
import bound
engine = c.CDLL("./libengine.so")
def own_thread(event):
    event.wait()
if "threads" in sys.argv:
    threading.Thread(target=own_thread, args=(threading.Event(),), daemon=True).start()
unique_id = bound.UniqueId()
if rank == 0:
    bound.check(bound.nccl.ncclGetUniqueId(c.byref(unique_id)))
    os.write(pipe[1], bytes(unique_id))
else:
    c.memmove(c.byref(unique_id), os.read(pipe[0], 128), 128)
x, comm = c.c_void_p(), c.c_void_p()
bound.check(bound.cuda.cudaSetDevice(rank))
bound.check(bound.cuda.cudaMalloc(c.byref(x), c.c_size_t(128)))
bound.check(bound.nccl.ncclCommInitRank(c.byref(comm), 2, unique_id, rank))
def step(count):
    bound.check(engine.backward(x, c.c_size_t(count), comm))  # in a function
step(8)
if rank == 0:
    engine.backward(x, c.c_size_t(16), comm)
step(4)
EOF
# tries PYTHON: a version that `exec` knows.
tries() {
    local python=$1
    run "$python" 3 env -C "$out" "${job[@]}" -- "$python" skip.py site-packages
    reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    skip\.py:9$'
    reports '^    rank 2  call 5 is AllReduce float32 x 32 sum    skip\.py:10$'
    reports '^  code  skip\.py:9 \| bound\.reduce\(x, 16, comm\)$'
    reports '^  why   rank 2 left out one call on comm1: call 5 of the others at skip\.py:9, '
    run "$python, elsewhere, as JSON" 3 env -C "$out/elsewhere" "${job[@]}" --format json -- "$python" ../skip.py ../site-packages
    reports '"rule": "skipped-call".*"line": 9, "file": "skip\.py", "at": "skip\.py:9"'
    run "$python, text of the command line" 3 env -C "$out" "${job[@]}" -- "$python" -c "$(cat "$out/site-packages/alone.py")" site-packages
    reports '^    rank 0  waits in ncclAllReduce\(\) +<string>:6$'
    leaves_out '^  code'
    run "$python, all in packages" 3 env -C "$out" PYTHONPATH=site-packages "${job[@]}" -- "$python" -m alone
    reports '^    rank 0  waits in ncclAllReduce\(\) +site-packages/bound/__init__\.py:9$'
    run "$python, an engine" 3 env -C "$out" "${job[@]}" -- "$python" engine.py
    reports '^    rank 0  call 2 is AllReduce float32 x 16 sum +engine\.py:25 \(in another thread\)$'
    reports '^    rank 1  call 2 is AllReduce float32 x 4 sum +engine\.py:22 \(in another thread\)$'
    reports '^ +(code )? *engine\.py:25 \| engine\.backward\(x, c\.c_size_t\(16\), comm\)$'
    leaves_out 'never came|host-wait'
    if [ -z "$runtime" ]; then # the recorder is a library that is loaded first, as a sanitizer must be
        run "$python, an engine, recorded" 3 env -C "$out" "${job[@]}" -- "$NCCLSCRIPT" record -o "$out/recorded" -- "$python" engine.py
        "$NCCLSCRIPT" diagnose --sources "$out" "$out/recorded" >"$out/stderr" 2>&1
        rm -rf "$out/recorded"
        reports '^    rank 0  call 2 is AllReduce float32 x 16 sum +engine\.py:25 \(in another thread\)$'
        reports '^    rank 1  call 2 is AllReduce float32 x 4 sum +engine\.py:22 \(in another thread\)$'
    fi
    run "$python, an engine, two threads" 3 env -C "$out" "${job[@]}" -- "$python" engine.py threads
    leaves_out 'in another thread'
    run "$python, that ends" 0 "${job[@]}" -- "$python" "$out/ends.py"
    says '^version 23203$'
}
build "$out/libengine.so" "$CC" -g -shared -fPIC -I include/ncclscript/compat "$out/engine.c" -L "$libraries" -lnccl -lcudart
tried=0
for python in /usr/bin/python3 "$(command -v python3)"; do
    case $("$python" -c 'import sys, ctypes; print("3.%d" % sys.version_info[1])' 2>/dev/null) in
    3.8 | 3.9 | 3.1[0-3]) tries "$python"; tried=1 ;;
    esac
done
[ $tried = 1 ] || echo "without Python 3.8 to 3.13 its lines are not tried"
finish "places in Python"
