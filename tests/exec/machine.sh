#!/usr/bin/env bash
# The environment describes the machine: CUDA_VISIBLE_DEVICES as CUDA reads it, and what is not used.
set -u
. tests/exec/common.bash

# sees LIST DEVICES...: of four devices, those numbers in that order.
sees() {
    local list=$1 place=0 number
    shift
    run "CUDA_VISIBLE_DEVICES=$list" 0 env CUDA_VISIBLE_DEVICES="$list" "${exec[@]}" -n 4 -- "${clients}machine"
    reports "CUDA are simulated, with $# of 4 devices in host memory \(CUDA_VISIBLE_DEVICES\)\$"
    if [ $# -eq 0 ]; then
        says '^0 devices, error 100$'
        return
    fi
    says "^$# devices, error 0\$"
    for number; do
        place=$((place + 1))
        [ "$(sed -n "$((place + 1))p" "$out/stdout")" = "${all[number]}" ] || fail "$name: device $place is not $number"
    done
}

run "all devices" 0 "${exec[@]}" -n 4 -- "${clients}machine"
says '^4 devices, error 0$'
reports 'with 4 devices in host memory$'
mapfile -t all < <(sed -n '2,5p' "$out/stdout")
uuid() { echo "${all[$1]#* }"; }

sees 0,1,2,3 0 1 2 3
sees 2 2
sees 3,1 3 1
sees ' 1 , 0 ' 1 0
sees 3x,+2 3 2 # what stands behind a number is left out
sees 0,2,-1,1 0 2 # what is no device ends the list
sees 1,4,0 1
sees 2,none,1 2
sees ''
sees -1
sees 4
sees NoDevFiles
sees 0,0 # twice the same: no device at all
sees 1,0,1
sees 0,7,0 0 # the list ends before
sees "$(uuid 2),$(uuid 0)" 2 0
sees "$(uuid 3 | tr a-f A-F | sed s/^G/G/)" 3
sees "$(uuid 1 | cut -c 1-27)" 1 # the digits that tell it from others are enough
sees "$(uuid 1),1" # the same by another name
sees GPU-0000,1
sees GPU-
sees "$(uuid 0)0"

run "more than there are" 0 env CUDA_VISIBLE_DEVICES=1,9 NCCLSCRIPT_GPUS=2 "${exec[@]}" -- "${clients}machine"
reports 'with 1 of 2 devices in host memory'

run "plugins" 0 env NCCL_NET_PLUGIN=ofi NCCL_TUNER_PLUGIN=/tuner.so NCCL_PROFILER_PLUGIN= NCCL_ENV_PLUGIN=none \
    NCCL_NET=Socket "${exec[@]}" -n 2 -- "${clients}one_thread"
says '^one thread, 2 devices: ok$'
[ "$(grep -c PLUGIN "$out/stderr")" -eq 1 ] || fail "$name: not said once"
reports '^ncclscript: (NCCL_NET_PLUGIN, NCCL_TUNER_PLUGIN|NCCL_TUNER_PLUGIN, NCCL_NET_PLUGIN): ignored, because the simulator loads no plugins$'
finish "the machine that a program finds"
