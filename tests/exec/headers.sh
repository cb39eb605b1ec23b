#!/usr/bin/env bash
# The headers of include/ncclscript/compat are enough to build examples/train.c, in C and in C++, and declare every
# function of NCCL that the drop-in library has.
set -u
. tests/exec/common.bash
compat=include/ncclscript/compat
warnings=(-Wall -Wextra -Werror)
link=(-pthread -L "$libraries" -lnccl -lcudart)

trains() { # PROGRAM
    run "$1" 3 "${sanitized[@]}" "${exec[@]}" -n 4 -- "$1"
    reports '^  communicator comm1, call 2: AllReduce float32 x 8 sum$'
}

build "$out/train" "${CC:-cc}" "${warnings[@]}" -I $compat examples/train.c "${link[@]}" && trains "$out/train"

cat >"$out/cpp.cc" <<'END'
#include <cuda_runtime.h>
#include <nccl.h>
int main()
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    float *x, y = 1;
    config.blocking = 1;
    if (cudaMalloc(&x, sizeof *x) || cudaMemcpyAsync(x, &y, sizeof y, cudaMemcpyHostToDevice))
        return 1;
    return !config.blocking || cudaDeviceSynchronize() || cudaFree(x) || NCCL_VERSION_CODE < NCCL_VERSION(2, 30, 0);
}
END
cxx=$(command -v c++ g++ clang++ | head -n 1)
if [ -n "$cxx" ]; then
    build "$out/cpp" "$cxx" -std=c++20 "${warnings[@]}" -I $compat "$out/cpp.cc" "${link[@]}" &&
        run "$out/cpp" 0 "${sanitized[@]}" "${exec[@]}" -- "$out/cpp"
else
    echo "without a C++ compiler C++ is not tried"
fi

name="functions of NCCL that the headers lack"
sed -nE 's/^nccl \{ "([a-zA-Z0-9]+)".*/\1/p' src/api/api.lua | sort >"$out/known"
grep -oE 'nccl[A-Z][A-Za-z0-9]+\(' $compat/nccl.h | tr -d '(' | sort >"$out/stderr"
[ "$(wc -l <"$out/known")" -gt 40 ] && comm -23 "$out/known" "$out/stderr" >"$out/stdout"
[ ! -s "$out/stdout" ] || fail "$name"
finish "headers"
