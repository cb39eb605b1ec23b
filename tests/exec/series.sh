#!/usr/bin/env bash
# Many runs of one program: with several seeds, and with a fault at each place where it calls.
set -u
. tests/exec/common.bash
# A program that ends while its other threads run cannot be searched for leaks.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1
good=("${clients}threads" 3)

run "repeat" 0 "${exec[@]}" -n 2 --repeat 3 -- "${good[@]}"
says '^3 runs of .*exec_threads, seeds 1 to 3$'
says '^     3  exit status 0$'
silent
run "repeat, from a seed" 3 "${exec[@]}" -n 4 --repeat 2 --seed 7 -- "${clients}hang"
says '^2 runs of .*, seeds 7 to 8$'
says '^     2  hang: rank 2 made one call on comm1'
reports '^ncclscript exec: the run with --seed 7 printed:$'
reports '^HANG .*seed 7$'
leaves_out 'seed 8'
run "repeat, verbose" 3 "${exec[@]}" -n 4 --repeat 2 -v -- "${clients}hang"
reports '^HANG .*seed 1$'
reports '^HANG .*seed 2$'
# A seed decides who comes first, and some order hangs.
run "repeat, an order that hangs" 3 "${exec[@]}" -n 2 --repeat 40 -- "${clients}chance"
says '^40 runs of '
says '^ +[0-9]+  exit status 0$'
says '^ +[0-9]+  hang: rank 1 '
says '^        seeds? [0-9]'
run "repeat, status of the program" 7 "${exec[@]}" --repeat 2 -- "${clients}mistakes" fails
says '^     2  exit status 7$'
run "repeat, a signal" 6 "${exec[@]}" --repeat 2 -- sh -c 'kill -9 $$'
says '^     2  ended by signal 9 '
run "repeat, as JSON" 3 "${exec[@]}" -n 4 --repeat 2 --format json -- "${clients}hang"
says '^\{"schema": "ncclscript.exec/1".*"runs": \[\{"seed": 1, "exit": 3, "signal": null, "bad": true, "end": "hang: rank 2'
run "repeat, no such program" 2 "${exec[@]}" --repeat 3 -- ./no-such-program
reports 'cannot run `./no-such-program`'
[ "$(grep -c 'cannot run' "$out/stderr")" -eq 1 ] || fail "$name: it tried again"

run "sweep kill" 6 "${exec[@]}" -n 3 --sweep kill -- "${good[@]}"
says ': kill on rank 1, before the first call at each of [0-9]+ places$'
says '^  \S+ +ncclAllReduce +hang: rank 1 was stopped by --fault kill before call 1 on comm1; ranks 0, 2 wait'
says '^  \S+ +ncclCommInitRank +hang: rank 1 was stopped by --fault kill before it joined comm1; ranks 0, 2'
says '^\* \S+ +ncclGetUniqueId +'
says '^\* no thread has a rank there: the first thread that comes has the fault$'
says '^  \S+ +ncclCommDestroy +the other ranks come to their end$'
says '^[1-9][0-9]* of [0-9]+ runs end without a hang, a wrong result or a crash$'
run "sweep fail" 0 "${exec[@]}" -n 2 --sweep fail -- "${good[@]}"
says '^  \S+ +ncclAllReduce +exit status 9$'
says '^  \S+ +cudaMalloc +exit status 9$'
run "sweep fail, one code" 0 "${exec[@]}" -n 2 --sweep 'fail rank=0 code=ncclRemoteError' -- "${good[@]}"
says ' ncclAllReduce +exit status 9$'
grep -q ' cuda' "$out/stdout" && fail "$name: a function of CUDA has a code of NCCL"
run "sweep stall, as JSON" 3 "${exec[@]}" -n 2 --sweep 'stall rank=0' --format json -- "${good[@]}"
says '"sweep": "stall rank=0", "runs": \[\{"fault": "stall rank=0 func=ncclCommInitRank at=\S+", "place": "\S+", "function": "ncclCommInitRank"'
run "sweep, one thread" 6 "${exec[@]}" -n 2 --sweep kill -- "${clients}one_thread"
says ' ncclAllReduce +lost: '
run "sweep of a program that hangs" 3 "${exec[@]}" -n 4 --sweep kill -- "${clients}hang"
reports 'the run without a fault has the status 3: nothing was swept$'
run "sweep of a program without calls" 5 "${exec[@]}" --sweep kill -- sh -c 'exit 0'
run "sweep with a call" 2 "${exec[@]}" --sweep 'kill call=3' -- "${good[@]}"
reports 'the sweep chooses the calls'
run "sweep of nothing" 2 "${exec[@]}" --sweep 'explode' -- "${good[@]}"
reports '`explode` is no kind of fault'
run "sweep and repeat" 2 "${exec[@]}" --sweep kill --repeat 3 -- "${good[@]}"
reports 'leave out --repeat'
run "sweep and fault" 2 "${exec[@]}" --sweep kill --fault kill -- "${good[@]}"
reports 'leave out --fault'

finish series
