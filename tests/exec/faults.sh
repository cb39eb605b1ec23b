#!/usr/bin/env bash
# Faults under exec: what happens, what is reported, and texts that are no faults.
set -u
. tests/exec/common.bash
# A program that ends while its other threads run cannot be searched for leaks.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1
good=("${clients}threads" 3)
fault() { # fault NAME STATUS OPTION...
    run "$1" "$2" "${exec[@]}" -n 3 "${@:3}" -- "${good[@]}"
}

fault "kill" 3 --fault 'kill rank=1 call=2'
reports '^  why   rank 1 was stopped by --fault kill before call 2 on comm1; ranks 0, 2 wait for it in AllReduce'
reports '^  more  ncclscript explain rank-lost$'
fault "stall" 3 --fault 'stall rank=2 func=cudaStreamSynchronize nth=2'
reports '^  why   rank 2 was stopped by --fault stall (during|before|after) call'
# The GPU of a stalled rank goes on: the last all-reduce ends.
fault "stall behind the last call" 0 --fault 'stall rank=1 func=ncclCommDestroy'
reports '^ncclscript: all other threads have come to their end, and the program waits for the thread'
fault "fail" 9 --fault 'fail rank=1 call=2 code=ncclSystemError'
reports 'ncclAllReduce\(.*\) returned 2: '
fault "fail in CUDA" 9 --fault 'fail rank=0 func=cudaStreamCreate code=cudaErrorMemoryAllocation'
reports 'cudaStreamCreate\(&stream\) returned 2: '
fault "slow" 0 --verify --fault 'slow rank=0 call=1 seconds=20ms'
reports '^ncclscript: 9 results verified'
fault "link" 3 --fault 'link rank=0 peer=2'
reports '^  why   the link between rank 0 and rank 2 of comm1 is cut'
fault "all ranks" 6 --fault 'kill call=2'
reports '^LOST '
reports '^  why   every rank was stopped by --fault kill at \S+: no rank reached its end$'
leaves_out 'outcome'
fault "before the rank is known" 3 --fault 'stall func=cudaSetDevice nth=2'
reports '^ncclscript: --fault stall stopped a thread before it joined a communicator at \S+'
fault "several" 9 --fault 'slow rank=1 call=1 seconds=1ms' --fault 'fail rank=2 call=3 code=3'
reports 'returned 3: '
fault "a call that never comes" 0 --fault 'kill rank=1 call=4'
reports '^ncclscript: the fault `kill rank=1 call=4` did not happen: rank 1 made 3 calls on the first communicator$'
fault "a rank that is not there" 0 --fault 'kill rank=7 call=1'
reports 'did not happen: rank 7 made 0 calls'
fault "a communicator that is not there" 0 --fault 'kill comm=comm9 call=1'
reports 'did not happen: a rank made at most 0 calls on that communicator'
run "an asynchronous error" 9 "${exec[@]}" -n 2 --fault 'async_error rank=0 code=ncclRemoteError' -- \
    "${clients}pollers" watched
reports 'returned 6: '

# At a place as reports print it.
fault "at a place" 3 --fault 'kill rank=1 func=ncclAllReduce nth=2'
place=$(sed -nE 's/.*never made call 2: was stopped +(\S+)$/\1/p' "$out/stderr")
[ -n "$place" ] || fail "$name: no place"
fault "at that place" 3 --fault "kill rank=1 at=$place nth=2"
reports "^    rank 1  never made call 2: was stopped +\S+"

# One thread with all ranks.
run "one thread" 6 "${exec[@]}" -n 2 --fault 'kill rank=1 call=1' -- "${clients}one_thread"
reports '^  why   the thread of all ranks was stopped by --fault kill at \S+: no rank reached its end$'
run "one thread, fail" 9 "${exec[@]}" -n 2 --fault 'fail rank=1 call=1 code=ncclSystemError' -- "${clients}one_thread"

# From a file.
cat >"$out/faults" <<'END'
# what goes wrong
slow rank=0 call=1 seconds=1ms   # a little

kill rank=1 call=2
END
fault "a file" 3 --fault "@$out/faults"
reports 'rank 1 was stopped by --fault kill before call 2'
printf 'slow rank=0 call=1 seconds=1ms\nkill  rnk=1\n' >"$out/faults"
fault "a wrong line" 2 --fault "@$out/faults"
reports 'faults:2:7: error: `rnk=1` is no field of a fault'
reports 'rank'
fault "no file" 2 --fault "@$out/none"
reports 'none: error: |none'
: >"$out/faults"
fault "an empty file" 0 --fault "@$out/faults"

# Texts that are no faults: one line that says what was expected.
refused() { # refused FAULT PATTERN
    fault "$1" 2 --fault "$1"
    reports "$2"
    [ "$(wc -l <"$out/stderr")" -le 2 ] || fail "$name: more than two lines"
}
refused 'kil rank=1' '`kil` is no kind of fault: did you mean .?kill'
refused '' 'expected|no fault'
refused 'kill rank=x' '`rank=x`: expected a rank, from 0'
refused 'kill rank=-1' '`rank=-1`: expected a rank, from 0'
refused 'kill rank=99999999999999999999' 'expected a rank'
refused 'kill rank=1 rank=2' 'rank is given twice'
refused 'kill call=0' 'expected the number of a call, from 1'
refused 'kill call=1 func=ncclAllReduce' 'call, or func and at, not both'
refused 'kill nth=2' 'func or at'
refused 'kill func=ncclAllReduces' 'expected a C name such as ncclAllReduce'
refused 'kill seconds=1' 'kill takes no seconds'
refused 'slow call=1' 'slow needs seconds'
refused 'slow call=1 seconds=soon' 'expected a time'
refused 'fail call=1' 'fail needs code'
refused 'fail call=1 code=ncclInProgress' 'not an error of NCCL'
refused 'fail call=1 code=cudaErrorUnknown' 'not an error of NCCL'
refused 'fail func=cudaMalloc code=ncclSystemError' 'not an error of CUDA'
refused 'fail func=ncclGroupStart code=2' 'ncclGroupStart cannot be left out'
refused 'link call=1' 'link needs peer'
refused 'corrupt first=0' 'expected the number of an element'
refused 'kill 7' '`7` is no field of a fault'
run "of the environment" 0 env NCCLSCRIPT_FAULTS='kil' "${exec[@]}" -n 2 -- "${good[@]}"
reports '^ncclscript: NCCLSCRIPT_FAULTS, line 1: `kil` is no kind of fault'

finish faults
