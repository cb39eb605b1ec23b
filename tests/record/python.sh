#!/usr/bin/env bash
# Lines of Python that make recorded calls: the innermost frame of the program's own counts.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
python=$(command -v python3) || { echo "skipped: no python3"; exit 77; }
"$python" -c 'import sys, ctypes; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' ||
    { echo "skipped: a Python that is not known"; exit 77; }
unset "${!NCCLSCRIPT_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
real=$(dirname "$NCCLSCRIPT")/tests/record/real
ldd "$real/libnccl.so.2" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1 LD_LIBRARY_PATH=$real PYTHONDONTWRITEBYTECODE=1

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/said" 2>/dev/null
    failures=$((failures + 1))
}
says() { grep -qE -- "$1" "$out/said" || fail "$name: lacks: $1"; }
leaves_out() { ! grep -qE -- "$1" "$out/said" || fail "$name: has: $1"; }

mkdir -p "$out/site-packages"
cat >"$out/site-packages/bound.py" <<'EOF'
import ctypes as c
nccl = c.CDLL("libnccl.so.2")
class UniqueId(c.Structure):
    _fields_ = [("bytes", c.c_char * 128)]
def begin(ranks, rank):
    unique_id, comm = UniqueId(), c.c_void_p()
    nccl.ncclGetUniqueId(c.byref(unique_id))
    nccl.ncclCommInitRank(c.byref(comm), ranks, unique_id, rank)
    return comm
def deep(frames, comm, count):
    if frames:
        return deep(frames - 1, comm, count)
    nccl.ncclAllReduce(None, None, c.c_size_t(count), 7, 0, comm, None)
EOF
cat >"$out/train.py" <<'EOF'
import os, sys, threading
sys.path.insert(0, sys.argv[1])
import bound
rank, frames = int(os.environ["RANK"]), int(sys.argv[2])
comm = bound.begin(2, rank)
def step(count):
    bound.deep(frames, comm, count)
for i in range(1000):
    step(8)
    bound.deep(3, comm, 8)
made = {}
for i in range(200):  # code objects whose addresses serve again
    exec(compile("def f():\n" + "\n" * i + "  bound.deep(1, comm, 8)", f"made{i}.py", "exec"), globals(), made)
    made["f"]()
thread = threading.Thread(target=lambda: step(8))
thread.start()
thread.join()
bound.deep(frames, comm, 4 if rank else 8)
os.kill(os.getpid(), 9)
EOF
touch -d 2001-01-01 "$out/train.py" "$out/site-packages/bound.py"
record() { # FRAMES
    rm -rf "$out/rec"
    for rank in 0 1; do
        RANK=$rank WORLD_SIZE=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$python" "$out/train.py" "$out/site-packages" "$1"
    done 2>/dev/null
    "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
}

for frames in 0 5 20; do
    name="$frames frames of a package"
    record $frames
    says 'rank 0  call 2202 is AllReduce float32 x 8 sum +train\.py:18$'
    says 'rank 1  call 2202 is AllReduce float32 x 4 sum +train\.py:18$'
    says 'code +train\.py:18 \| bound\.deep\(frames, comm, 4 if rank else 8\)'
done
name="lines of generated code"
for i in 0 77 199; do
    grep -qa "made$i\.py" "$out"/rec/0@* || fail "$name: made$i.py"
done

name="no frame of the program's is near"
record 40
says 'rank 1  call 2202 is AllReduce float32 x 4 sum +bound\.py:13$'

name="switched off"
NCCLSCRIPT_RECORD_PYTHON=0 record 0
leaves_out '\.py:[0-9]'
says 'rank 1  call 2202 is AllReduce float32 x 4 sum'

name="a source that is newer"
record 0
touch -d '+1 minute' "$out/train.py"
"$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
says 'train\.py:18'
leaves_out '^  code'

[ "$failures" -eq 0 ]
