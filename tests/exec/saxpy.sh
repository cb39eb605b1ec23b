#!/usr/bin/env bash
# examples/saxpy.cu, which has a kernel of its own: docs/exec.md shows what exec prints of it, with and without the launch.
set -u
. tests/exec/common.bash
nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
[ -n "$nvcc" ] || { echo "skipped: there is no nvcc"; exit 77; }

# block COMMAND: what the page shows below the command, up to the next command or the end of the block.
block() {
    awk -v command="\$ $1" '$0 == command { shown = 1; next } /^(\$ |```)/ { shown = 0 } shown' docs/exec.md
}
# shows COMMAND: both outputs of the last run are what the page shows, in any order of the two.
shows() {
    block "$1" >"$out/want"
    [ -s "$out/want" ] || fail "$name: docs/exec.md lacks it"
    cat "$out/stderr" "$out/stdout" | sort | diff -u <(sort "$out/want") - || fail "$name: not what docs/exec.md shows"
}

build "$out/saxpy" "$nvcc" -g -cudart shared examples/saxpy.cu -I include/ncclscript/compat -L"$libraries" -lnccl || finish "saxpy"
program=$(realpath "$NCCLSCRIPT")
run "a kernel that fails" 1 env -C "$out" "${sanitized[@]}" "$program" exec -n 4 -- ./saxpy
shows 'ncclscript exec -n 4 -- ./saxpy'
run "a kernel that is skipped" 0 env -C "$out" "${sanitized[@]}" "$program" exec -n 4 --kernels skip -- ./saxpy
shows 'ncclscript exec -n 4 --kernels skip -- ./saxpy'
finish "saxpy"
