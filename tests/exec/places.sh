#!/usr/bin/env bash
# Lines of calls in reports: of programs in C, C++ and Rust, with and without debug information.
set -u
. tests/exec/common.bash
. tests/exec/libdw.bash
has_libdw || { echo "skipped: libdw (Debian: libdw1), which finds lines, is not installed"; exit 77; }
export NCCLSCRIPT_QUIET=1
compat=(-I "$PWD/include/ncclscript/compat")
link=(-pthread -L "$libraries" -lnccl -lcudart)
cc=${CC:-cc}
mkdir -p "$out/src/deep" "$out/src/other" "$out/elsewhere"

# in_folder STATUS FOLDER COMMAND...: runs it there.
in_folder() { run "$name" "$1" env -C "$2" "${sanitized[@]}" "${exec[@]}" -n 4 "${@:3}"; }

# ---- C: rank 2 leaves out the second of three reduces ----

cat >"$out/src/skip.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#define CHECK(call) if (call) exit(9)
static ncclUniqueId id;
static void *rank_main(void *arg)
{
    int rank = *(int *)arg;
    ncclComm_t comm;
    void *x;
    CHECK(cudaSetDevice(rank));
    CHECK(cudaMalloc(&x, 128));
    CHECK(ncclCommInitRank(&comm, 4, id, rank));
    for (int step = 0; step < 3; step++) {
        CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, NULL));
        CHECK(cudaStreamSynchronize(NULL));
        if (rank != 2 || step != 1) {
            CHECK(ncclAllReduce(x, x, 16, ncclFloat32, ncclSum, comm, NULL));
            CHECK(cudaStreamSynchronize(NULL));
        }
        CHECK(ncclAllReduce(x, x, 32, ncclFloat32, ncclSum, comm, NULL));
        CHECK(cudaStreamSynchronize(NULL));
    }
    return NULL;
}
int main(void)
{
    pthread_t thread[4];
    int rank[4];
    CHECK(ncclGetUniqueId(&id));
    for (int r = 0; r < 4; r++) {
        rank[r] = r;
        CHECK(pthread_create(&thread[r], NULL, rank_main, &rank[r]));
    }
    for (int r = 0; r < 4; r++)
        pthread_join(thread[r], NULL);
    return 0;
}
EOF
old() { touch -d 2001-01-01 "$@"; }
old "$out/src/skip.c"
build "$out/skip" env -C "$out" "$cc" -g "${compat[@]}" src/skip.c "${link[@]}"

name="in the folder"
in_folder 3 "$out" -- ./skip
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    src/skip\.c:19$'
reports '^    rank 2  call 5 is AllReduce float32 x 32 sum    src/skip\.c:22$'
reports '^  code  src/skip\.c:19 \| CHECK\(ncclAllReduce\(x, x, 16, ncclFloat32, ncclSum, comm, NULL\)\);$'
reports '^        src/skip\.c:22 \| CHECK\(ncclAllReduce\(x, x, 32,'
reports '^  why   rank 2 left out one call on comm1: call 5 of the others at src/skip\.c:19, '
reports '^  more  ncclscript explain skipped-call$'
name="elsewhere"
in_folder 3 "$out/elsewhere" -- ../skip
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    skip\.c:19$'
reports '^  code  skip\.c:19 \| '
name="as JSON"
in_folder 3 "$out" --format json -- ./skip
reports '"rule": "skipped-call", "level": "error", "certainty": "likely"'
reports '"culprits": \[\{"rank": 2, "call": 5, "line": 19, "file": "src/skip\.c", "at": "src/skip\.c:19"\}\]'
! command -v python3 >/dev/null || python3 -m json.tool "$out/stderr" >/dev/null || fail "$name: it is no JSON"
build "$out/fast" env -C "$out" "$cc" -g -O2 "${compat[@]}" src/skip.c "${link[@]}"
name="optimized"
in_folder 3 "$out" -- ./fast
reports '^    rank 2  call 5 is AllReduce float32 x 32 sum    src/skip\.c:22$'

# The line is known, but not its text as it was compiled.
name="a newer source"
touch "$out/src/skip.c" -d '+1 day'
in_folder 3 "$out" -- ./skip
reports '^    rank 0  call 5 .*    src/skip\.c:19$'
reports '^ncclscript: src/skip\.c is newer than the program: its lines may have moved$'
leaves_out '^  code'
name="no source"
mv "$out/src/skip.c" "$out/gone.c"
old "$out/gone.c"
in_folder 3 "$out" -- ./skip
reports '^    rank 0  call 5 .*    src/skip\.c:19$'
leaves_out '^  code'
leaves_out 'newer than'

# Without debug information, without symbols, with a libdw that is none. The class is the same.
build "$out/plain" "$cc" -g0 "${compat[@]}" "$out/gone.c" "${link[@]}"
name="no debug information"
in_folder 3 "$out" -- ./plain
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    rank_main\+0x[0-9a-f]+$'
reports '^  more  ncclscript explain skipped-call$'
build "$out/stripped" "$cc" -g0 -s "${compat[@]}" "$out/gone.c" "${link[@]}"
name="stripped"
in_folder 3 "$out" -- ./stripped
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    stripped\+0x[0-9a-f]+$'
name="stripped, as JSON"
in_folder 3 "$out" --format json -- ./stripped
reports '"line": null, "at": "stripped\+0x[0-9a-f]+"'
mkdir "$out/none"
build "$out/none/libdw.so.1" "$cc" -shared -fPIC -x c /dev/null
run "no libdw" 3 "${sanitized[@]}" "LD_LIBRARY_PATH=$out/none" "${exec[@]}" -n 4 -- "$out/skip"
reports '^    rank 0  call 5 is AllReduce float32 x 16 sum    rank_main\+0x[0-9a-f]+$'

# ---- C++ ----

# Functions that are compiled into others; one of a header of the system, where the call is in the function around it;
# two files of one name.
cat >"$out/src/deep/wrap.h" <<'EOF'
#include <nccl.h>
namespace deep {
template <class T> struct Wrapper {
    static inline __attribute__((always_inline)) int own(T *x, ncclComm_t comm)
    {
        return ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, nullptr);
    }
# 90 "/usr/include/wrapped.h"
    static inline __attribute__((always_inline)) int system(T *x, ncclComm_t comm)
    {
        return ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, nullptr);
    }
};
}
int late(void *x, ncclComm_t comm);
EOF
cat >"$out/src/other/main.cc" <<'EOF'
#include <nccl.h>
namespace deep {
namespace {
struct Group {
    __attribute__((noinline)) static int reduce(void *x, ncclComm_t comm)
    {
        int rc = ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, nullptr);
        return *(volatile int *)&rc;
    }
};
}
}
int late(void *x, ncclComm_t comm) { return deep::Group::reduce(x, comm); }
EOF
cat >"$out/src/main.cc" <<'EOF'
#include <cuda_runtime.h>
#include "deep/wrap.h"
int main(int, char **argument)
{
    ncclComm_t comm[2];
    float *x;
    if (ncclCommInitAll(comm, 2, nullptr) || cudaMalloc(&x, 64))
        return 9;
    switch (argument[1][0]) {
    case 'o': return deep::Wrapper<float>::own(x, comm[0]);
    case 's': return deep::Wrapper<float>::system(x, comm[0]);
    default: return late(x, comm[0]);
    }
}
EOF
cxx=$(command -v g++ clang++ c++ | head -n 1)
if [ -n "$cxx" ]; then
    old "$out"/src/*.cc "$out"/src/*/*
    build "$out/cpp" env -C "$out" "$cxx" -g -O1 "${compat[@]}" src/main.cc src/other/main.cc "${link[@]}"
    name="C++, a header of the program"
    in_folder 3 "$out" -- ./cpp own
    reports '^    rank 0  waits in ncclAllReduce\(\) +src/deep/wrap\.h:6$'
    reports '^  code  src/deep/wrap\.h:6 \| return ncclAllReduce'
    name="C++, a header of the system"
    in_folder 3 "$out" -- ./cpp system
    reports '^    rank 0  waits in ncclAllReduce\(\) +src/main\.cc:11$'
    name="C++, two files of one name"
    in_folder 3 "$out/elsewhere" -- ../cpp late
    reports "^    rank 0  waits in ncclAllReduce\(\) +$out/src/other/main\.cc:7\$"
    build "$out/names" "$cxx" -g0 -O1 "${compat[@]}" "$out/src/main.cc" "$out/src/other/main.cc" "${link[@]}"
    name="C++ without debug information"
    in_folder 3 "$out" -- ./names late
    reports 'deep::\(anonymous namespace\)::Group::reduce\+0x'
else
    echo "without a C++ compiler C++ is not tried"
fi

# ---- Rust ----

cat >"$out/src/train.rs" <<'EOF'
use std::os::raw::{c_int, c_void};
extern "C" {
    fn ncclCommInitAll(comm: *mut *mut c_void, count: c_int, devices: *const c_int) -> c_int;
    fn cudaMalloc(p: *mut *mut c_void, bytes: usize) -> c_int;
    fn ncclAllReduce(from: *const c_void, to: *mut c_void, n: usize, t: c_int, op: c_int, comm: *mut c_void, s: *mut c_void) -> c_int;
}
mod steps {
    use super::*;
    #[inline(never)]
    pub fn reduce(x: *mut c_void, comm: *mut c_void) -> c_int {
        let code = unsafe { ncclAllReduce(x, x, 8, 7, 0, comm, std::ptr::null_mut()) };
        code + 1
    }
}
fn main() {
    let mut comm = [std::ptr::null_mut::<c_void>(); 2];
    let mut x = std::ptr::null_mut::<c_void>();
    unsafe { ncclCommInitAll(comm.as_mut_ptr(), 2, std::ptr::null()); cudaMalloc(&mut x, 64); }
    std::process::exit(steps::reduce(x, comm[0]));
}
EOF
if rustc --version >/dev/null 2>&1; then
    old "$out/src/train.rs"
    flags=(--edition 2021 -O -L "$libraries" -l nccl -l cudart)
    build "$out/rust" env -C "$out" rustc -g "${flags[@]}" src/train.rs
    name="Rust"
    in_folder 3 "$out" -- ./rust
    reports '^    rank 0  waits in ncclAllReduce\(\) +src/train\.rs:11$'
    for form in legacy v0; do
        rustc -C symbol-mangling-version=$form "${flags[@]}" -o "$out/rust_$form" "$out/src/train.rs" 2>"$out/stderr" || continue
        name="Rust, names of form $form"
        in_folder 3 "$out" -- "./rust_$form"
        reports '^    rank 0  waits in ncclAllReduce\(\) +train::steps::reduce\+0x[0-9a-f]+$'
    done
else
    echo "without rustc Rust is not tried"
fi
finish "places"
