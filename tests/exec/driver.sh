#!/usr/bin/env bash
# The driver API: a program that uses libcuda beside the runtime and NCCL; by any name and path, ours is what it gets.
set -u
. tests/exec/common.bash
command -v nm >/dev/null || { echo "left out: there is no nm"; exit 77; }
for stub in /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1; do
    [ -e "$stub" ] || continue
    lacks=$(comm -23 <(nm -D --defined-only "$stub" | awk '$3 ~ /^cu/ { sub(/@.*/, "", $3); print $3 }' | sort -u) \
        <(nm -D --defined-only "$libraries/libcuda.so.1" | awk '{ print $3 }' | sort -u))
    [ -z "$lacks" ] || { echo "FAIL ours lacks, of $stub:" $lacks; failures=$((failures + 1)); }
    echo "compared with $stub"
done
touch "$out/libcuda.so.1"
for library in libcuda.so.1 libcuda.so "$out/libcuda.so.1"; do
    run "the driver API, of $library" 0 "${sanitized[@]}" "${exec[@]}" -n 4 -- "${clients}driver" "$library"
    says '^driver: 0 failures$'
    [ "$(grep -c 'has a CUDA runtime of its own' "$out/stderr")" -eq 1 ] || fail "$name: who asks for tables is not named"
    reports '^ncclscript: not simulated, so these calls failed: cuModuleLoad$'
    leaves_out 'left at the end'
done
finish "the driver API"
