#!/usr/bin/env bash
# Memory and events of another process of a job.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

for number in 1 2 3 4 5; do
    run "handles, run $number" 0 "${sanitized[@]}" "${exec[@]}" -n 2 -- "${clients}ipc"
    says '^ipc: ok$'
    reports '^ncclscript: given memory of another device .*: ncclAllReduce \(1, at '
    [ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"
done
finish "memory and events of another process"
