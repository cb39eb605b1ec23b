#!/usr/bin/env bash
# Functions that are not simulated: each name that the real libraries export is there; a call fails with the documented
# code, sets the last error, is reported once, and counted when the program ends.
set -u
. tests/exec/common.bash

# Every name, by the lists (NCCL 2.32.3, CUDA runtime 12.9 and 13.5) and by the real libraries that are found.
command -v nm >/dev/null || { echo "left out: there is no nm"; exit 77; }
# Without the names that linkers give to the ends of sections.
names() { nm -D --defined-only "$1" | awk '$2 != "A" && $3 !~ /^(__bss_start|_edata|_end)$/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }
missing() { comm -23 <(sort -u "$2") <(names "$libraries/$1") | tr '\n' ' '; }
for list in tests/abi/exports/*.txt; do
    library=$(basename "$list" .txt)
    lacks=$(missing "$library" "$list")
    [ -z "$lacks" ] || { echo "FAIL $library lacks $lacks"; failures=$((failures + 1)); }
done
for real in /usr/local/cuda/lib64/libcudart.so.1[23] /usr/local/cuda/lib64/libnccl.so.2 ${NCS_REAL_LIBRARIES:-}; do
    [ -e "$real" ] || continue
    names "$real" >"$out/names"
    lacks=$(missing "$(basename "$real")" "$out/names")
    [ -z "$lacks" ] || { echo "FAIL ours lacks, of $real: $lacks"; failures=$((failures + 1)); }
    echo "compared with $real"
done
echo ncclNoSuchFunction >"$out/names"
[ -n "$(missing libnccl.so.2 "$out/names")" ] || { echo "FAIL a missing name is not noticed"; failures=$((failures + 1)); }

run "calls that fail" 0 "${sanitized[@]}" "${exec[@]}" -n 4 --nccl-version 2.30.7 -- "${clients}absent"
[ "$(grep -c '^launch 801$' "$out/stdout")" -eq 3 ] || fail "$name: three launches"
says '^last 801, then 0$'
says '^capture 0 0$'
says '^mode 0 0 2$'
says '^p2p 0 1 101$'
says '^init 0 101$'
says '^team 4 2 1, 3$'
says '^device API 5$'
says '^newer 5, alone 1 0 1$'
[ "$(grep -c '^ncclscript: cudaGraphAddEmptyNode: graphs that' "$out/stderr")" -eq 1 ] || fail "$name: not said once"
reports '^ncclscript: not simulated, so these calls failed: ncclTeamCft, ncclAllReduceConfig, ncclDevCommCreate, cudaGraphAddEmptyNode \(3 calls\)$'
reports '^ncclscript: ncclAllReduceConfig: it came with NCCL 2\.31\.2$'
run "a call of a newer version, made by one rank of four" 3 "${sanitized[@]}" "${exec[@]}" -n 4 --nccl-version 2.32.3 -- \
    "${clients}absent"
reports '^  communicator comm1, call 1: AllReduce float32 x 1 sum$'
finish "what is absent"
