#!/usr/bin/env bash
# The tests for GPUs, tested: they pass where the loader's usual NCCL and CUDA are the drop-in libraries.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
libraries=$(dirname "$(realpath "$NCCLSCRIPT")")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
unset "${!NCCL_@}"
LD_LIBRARY_PATH=$libraries bash tests/gpu/run.sh
