#!/usr/bin/env bash
# Memory and events of another process of a job.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

for number in 1 2 3 4 5; do
    run "handles, run $number" 0 "${sanitized[@]}" "${exec[@]}" -n 2 -- "${clients}ipc"
    says '^ipc: ok$'
    reports '^ncclscript: given memory of another device .*: ncclAllReduce \(1, at '
    reports '^  note  rank 0 frees memory at tests/exec/ipc\.c:[0-9]+ that rank 1 has mapped since tests/exec/ipc\.c:[0-9]+$'
    reports '^  more  ncclscript explain freed-while-registered$'
    [ "$(grep -c '^ncclscript: ' "$out/stderr")" -eq 1 ] || fail "$name: something else is said"
done
finish "memory and events of another process"
