#!/usr/bin/env bash
# Programs with kernels: they link against the drop-in folder, start with every symbol bound at once, and
# each launch of their own kernels fails with error 98, which is then the last error.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

# The symbols by hand, where there is no nvcc.
for cudart in 12 13; do
    build "$out/kernels" "$CC" -Iinclude -Isrc -Itests/exec -pthread tests/exec/kernels.c -L"$libraries" \
        -l:libcudart.so.$cudart -lnccl -Wl,-z,now || continue
    run "every symbol of CUDA $cudart at once" 0 "${sanitized[@]}" "${exec[@]}" -- "$out/kernels"
    says '^__cudaLaunchKernel: 98$'
    says '^cudaLaunchCooperativeKernel_ptsz: 98$'
    says '^kernels: ok$'
    says '^cudaLaunchKernelExC_ptsz: 98$'
    reports '^ncclscript: kernels that were not run: stub \(8 launches\): their launches failed$'
    [ "$(grep -c 'ncclscript: kernel stub: the simulator lacks it' "$out/stderr")" -eq 1 ] || fail "$name: not said once"
done

nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ -z "$nvcc" ]; then
    echo "without nvcc: what it makes of a launch is called by hand alone"
    finish "kernels"
fi
for stream in legacy per-thread; do
    for how in shared none; do
        library=()
        [ $how = none ] && library=(-lcudart)
        build "$out/kernel" "$nvcc" -std=c++17 -default-stream $stream -cudart $how tests/exec/kernel.cu \
            -L"$libraries" "${library[@]}" -Xlinker -z,now || continue
        run "nvcc, $stream stream, runtime $how" 0 "${sanitized[@]}" "${exec[@]}" -- "$out/kernel"
        says '^symbol 13$'
        [ "$(grep -c '^launch 98, then 0$' "$out/stdout")" -eq 2 ] || fail "$name: launches"
        says '^synchronize 0$'
        says '^free 0, ready 7$'
    done
done
finish "kernels"
