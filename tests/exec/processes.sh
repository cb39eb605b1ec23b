#!/usr/bin/env bash
# Jobs whose ranks are processes: results, reports, the options of exec, and what is left when a job ends.
set -u
. tests/exec/common.bash
# A process that is ended cannot be searched for leaks.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1
client=${clients}processes
job=("${exec[@]}" --)

# line NAME: where the client has the call that a comment names.
line() {
    echo "(tests/exec/processes\\.c:$(grep -n "line: $1 \\*/" tests/exec/processes.c | cut -d : -f 1)|[a-z_]+\\+0x[0-9a-f]+)"
}
reduce=$(line reduce) synchronize=$(line synchronize) broadcast=$(line broadcast) join=$(line join) destroy=$(line destroy)

# All processes of a job have this variable in their environment.
marked() {
    local folder
    for folder in /proc/[0-9]*; do
        grep -qzx "JOB_MARK=$JOB_MARK" "$folder/environ" 2>/dev/null && echo "${folder#/proc/}"
    done
}
# names_processes: standard error names the process of each of three ranks, once.
names_processes() {
    [ "$(grep -cE '^  processes  rank 0: [0-9]+, rank 1: [0-9]+, rank 2: [0-9]+$' "$out/stderr")" -eq 1 ] ||
        fail "$name: the processes are not named once"
}
# The processes of a job end a moment after exec, which may have been killed itself.
nothing_is_left() {
    local i left
    for ((i = 0; i < 300; i++)); do
        left=$(JOB_MARK=$1 marked)
        [ -n "$left" ] || break
        sleep 0.1
    done
    [ -z "$left" ] || { fail "$name: processes are left: $left"; kill -9 $left; }
    [ -z "$(find /dev/shm -name '*ncclscript*' 2>/dev/null)" ] || fail "$name: a file is left in /dev/shm"
}
marks=0
# try STATUS MODE OPTION...: a job of three processes, or of $ranks.
ranks=3
try() {
    local status=$1 mode=$2
    shift 2
    marks=$((marks + 1))
    JOB_MARK=$$.$marks run "$mode${*:+ $*}" "$status" "${exec[@]}" "$@" -- "$client" "$mode" "$ranks"
    nothing_is_left $$.$marks
}

# stalls MODE: a job that stands still until it is ended from outside.
stalls() {
    local i command
    name="$1: it stalls"
    marks=$((marks + 1))
    : >"$out/stderr"
    JOB_MARK=$$.$marks "${exec[@]}" -- "$client" "$1" 3 >"$out/stdout" 2>"$out/stderr" &
    command=$!
    for ((i = 0; i < 600; i++)); do
        grep -q '^  note .*the program goes on$' "$out/stderr" && break
        sleep 0.1
    done
    reports '^STALLED '
    kill -TERM "$command"
    wait "$command"
    [ $? -eq 143 ] || fail "$name: SIGTERM does not end it"
    reports '^(INTERRUPTED|HANG|ERROR) ' # calls waited: that is no pass
    nothing_is_left $$.$marks
}

# ---- right programs ----

for mode in right late; do
    try 0 $mode
    silent
    for r in 0 1 2; do
        says "^rank $r of 3: ok\$"
    done
    [ "$(wc -l <"$out/stdout")" -eq 3 ] || fail "$name: standard output has other lines"
done
for mode in late_inside pinned registered_async big group outs visible threads; do
    try 0 $mode
    silent
done
# They make calls that have to fail, and look at the codes alone.
for mode in functions registered; do
    try 0 $mode
    reports '^ncclscript: [0-9]+ calls failed and the program went on: cuda'
    [ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"
done
ranks=2 try 0 variables
reports '^  note  NCCL_ALGO is Ring on rank 0, and not set on rank 1: these ranks of comm1 may choose different algorithms or protocols for one call; then, on GPUs, the call hangs or gives wrong results$'
leaves_out NCCL_SOCKET_IFNAME
ranks=1 try 0 right --processes many
silent
ranks=8 try 0 right
silent
ranks=2 try 0 right --policy typical --seed 7
silent
NCCLSCRIPT_QUIET='' try 0 right
reports '^ncclscript: this is no GPU: NCCL 2\.32\.3 and CUDA are simulated, with 8 devices in host memory$'
[ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"
try 0 not_destroyed
reports '^  note  rank 1 never destroyed comm1, others did$'
reports '^ncclscript: left at the end: 1 communicator \(comm1: rank 1\), 1 allocation of device memory \(32 B\), 1 stream$'
leaves_out 'was ended by'

# ---- hangs ----

try 3 skip
reports '^HANG  .*exec_processes  3 ranks, sim, seed 0(: (its cause is )?likely, not certain)?$'
reports "^    rank 1  call 2 is Broadcast float32 x 8 root 0 +$broadcast\$"
reports "^  why   rank 1 left out one call on comm1: call 2 of the others at $reduce, its own call 2 is the one at $broadcast\$"
names_processes
try 3 swapped
reports "^    rank 1  call 2 is Broadcast float32 x 8 root 0 +$broadcast\$"
reports "^    rank 2  call 2 is AllReduce float32 x 8 sum +$reduce\$"
try 3 count
reports "^  why   call 2 on comm1 has count 4 \(16 bytes\) on rank 1 at $reduce, count 8 \(32 bytes\) on ranks 0, 2"
left="rank 1 ended during call 2 on comm1, which it made at $(line left) and did not wait for; ranks 0, 2 wait for it in AllReduce float32 x 8 sum at $reduce"
try 3 leaves
reports "^  why   $left\$"
try 3 leaves_half
reports '^HANG  .*: its cause is likely, not certain$'
reports "^  why   $left\$"
reports '^  or    .* AllReduce float32 x 4 sum'
for mode in never_joins never_calls; do
    try 3 $mode
    reports "^    rank 0  waits in ncclCommInitRank\(\) +$join\$"
    reports '^  why   2 of 3 ranks joined comm1 with ncclCommInitRank, rank 1 did not$'
    reports '^  processes  rank 0: [0-9]+, rank 2: [0-9]+(, no rank: [0-9]+)?$'
done
# Polling without a pause, beside a thread that sleeps, is waiting; computing between two polls is not.
try 3 skip_polls --patience 500ms --stall 1h
reports '^HANG  .*exec_processes  3 ranks, sim, seed 0: likely, not certain$'
reports "^  why   rank 1 made 2 calls on comm1; ranks 0, 2 made 3: rank 1 skips call 2 of the others at $(line skipped), its own call 2 is the one at $(line 'behind it')\$"
reports '^  note  all threads wait or poll, .* \(--patience\); threads poll in cudaStreamQuery .*; other threads, which have used no communicator, sleep or wait$'
try 0 late_polls --patience 300ms --stall 1h
silent
# No hang is certain while a process may still act. A time limit reports the likely cause, too.
try 124 waits_outside --timeout 4s --stall 1h --format json
reports '"verdict": "timeout", "certainty": "likely".*"rule": "skipped-call".*"certainty": "likely".*"message": "timeout: no call made progress; likely: rank 1 '
try 124 waits_outside --timeout 4s --stall 1s
[ "$(grep -c '^  why   rank 1 ' "$out/stderr")" -eq 2 ] && [ "$(grep -c '^  fix ' "$out/stderr")" -eq 2 ] || fail "$name: no cause"
reports '^STALLED  .*exec_processes  3 ranks, sim, seed 0(: (its cause is )?likely, not certain)?$'
reports '^  why   rank 1 made one call on comm1; ranks 0, 2 made 2: call 2 is at '"$reduce"'$'
reports '^  note  nothing has changed for [0-9.]+ m?s; rank 1 \(process [0-9]+\) is in no call and waits for input \(read\); the program goes on$'
rank_1=$(sed -nE 's/.*rank 1 \(process ([0-9]+)\).*/\1/p' "$out/stderr")
[ "$(grep -cE "^  processes  .*, rank 1: $rank_1," "$out/stderr")" -eq 2 ] || fail "$name: the process of rank 1 is not named"
reports '^TIMEOUT .* no call made progress: its cause is likely, not certain$'
reports '^    rank 1  never made call 2: waits for input \(read\) '
reports '^    rank 1 +in its own code, and waits for input \(read\) '
reports "^    ranks 0, 2  in cudaStreamSynchronize, comm1 call 2 .*, for rank 1 +$synchronize\$"
[ "$(grep -c ^STALLED "$out/stderr")" -eq 1 ] || fail "$name: not reported once"
try 124 waits_outside --timeout 1s --stall 1h
leaves_out STALLED
leaves_out HANG
# Ranks that wait in their own code do not wait for each other, and all processes are on the host of the destroy.
try 124 destroys_first -n 3 --timeout 3s --stall 500ms
reports "^  why   rank 0 waits in ncclCommDestroy at $destroy until the other ranks of the host destroy comm1, too: ranks 1, 2 have not; "
reports '^    rank [12]  never called ncclCommDestroy: waits for input \(read\) '
[ "$(grep '^  why ' "$out/stderr" | sort -u | wc -l)" -eq 1 ] || fail "$name: there is one cause"
try 9 one_gpu -n 3
[ "$(grep -c 'ncclCommInitRank.* returned 5' "$out/stderr")" -eq 3 ] || fail "$name: not all ranks fail"
# A hang that was reported as a stall is not told twice.
try 3 skip_beside --stall 500ms
reports '^STALLED  .*exec_processes  3 ranks, sim, seed 0(: (its cause is )?likely, not certain)?$'
reports '^HANG  .*exec_processes  3 ranks, sim, seed 0(: (its cause is )?likely, not certain)?$'
reports '^  note  the ranks and the cause are as reported above$'
[ "$(grep -c '^  why ' "$out/stderr")" -eq 1 ] || fail "$name: not told once"
try 3 skip_late --stall 500ms
reports '^STALLED  .*exec_processes  3 ranks, sim, seed 0(: (its cause is )?likely, not certain)?$'
reports '^    rank 1  never made call 2: sleeps \(nanosleep\) '
leaves_out 'as reported above'
[ "$(grep -c '^  why ' "$out/stderr")" -eq 2 ] || fail "$name: not told twice"
try 3 skip_beside --stall 500ms --format json
reports '^\{"schema": "ncclscript.report/1".*"verdict": "hang".*"rule": "skipped-call"'
stalls waits_before
reports '^    rank 1  is not there yet$'
reports '^  why   2 of 3 ranks joined comm1 with ncclCommInitRank, rank 1 did not$'
leaves_out HANG
stalls stopped
reports '^    rank 1  never made call 2: is stopped '
reports '^  note  nothing has changed for [0-9.]+ m?s; rank 1 \(process [0-9]+\) is in no call and is stopped; the program goes on$'
try 3 skip --format json
reports '^\{"schema": "ncclscript.report/1".*"verdict": "hang".*"rule": "skipped-call".*"processes": \[\{"rank": 0, "pid": [0-9]+\}, '
reports '"in": "ncclBroadcast"|"at": "'"$broadcast"'"'

# ---- deaths ----

# How a process was ended is not known if its parent has taken its status at once, before Linux 6.15.
ended='was ended by (signal [0-9]+ \([A-Za-z ]+\)|its exit with status [0-9]+|a signal, or its own _exit)'
for mode in segv killed exits; do
    try 3 $mode
    reports "^    rank 1  never made call 2: was ended "
    reports "^  why   rank 1 $ended before call 2 on comm1; ranks 0, 2 wait for it in AllReduce float32 x 8 sum at $reduce\$"
    reports '^  more  ncclscript explain rank-lost$'
    names_processes
done
try 3 registered_killed
reports "^    ranks? 0.*  waits in cudaStreamSynchronize\(\) +$(line registered)\$"
reports "^  why   rank 1 $ended before call 2 on comm1; ranks 0, 2 wait for it in AllReduce float32 x 8 sum at "
for mode in killed_in_call segv_in_call killed_in_function; do
    try 3 $mode
    reports "^  why   rank 1 $ended (before call 2|during call 2|before call 3) on comm1; ranks 0, 2 wait for it in AllReduce float32 x 8 sum at "
done

# ---- the options of exec ----

try 0 right --verify
reports '^ncclscript: [0-9]+ results verified'
try 1 unseen --verify --fault 'corrupt rank=1 call=2'
reports '^WRONG '
reports "^    rank 1  element [0-9]+: got .* differ +$reduce\$"
try 3 right --fault 'kill rank=1 call=2'
reports '^  why   rank 1 was stopped by --fault kill before call 2 on comm1; ranks 0, 2 wait for it'
try 3 right --timeout 60s --fault 'kill rank=1 func=ncclCommInitRank'
reports '^  why   rank 1 was stopped by --fault kill before it joined comm1; ranks 0, 2 wait for it$'
try 3 right --fault 'fail rank=2 call=1 code=ncclSystemError'
reports 'ncclAllReduce\(.*\) returned 2: '
reports "^  why   (rank 2 $ended during call 1 on comm1|on rank 2 call 1, AllReduce .* failed with ncclSystemError)" # as its end is known or not
try 0 right --verify --fault 'slow rank=0 call=1 seconds=20ms'
reports '^ncclscript: [0-9]+ results verified'
try 0 right --fault 'kill rank=1 call=40'
reports '^ncclscript: the fault `kill rank=1 call=40` did not happen: rank 1 made [0-9]+ calls on the first communicator$'
try 0 right --repeat 3
says '^3 runs of .*exec_processes, seeds 1 to 3$'
says '^     3  exit status 0$'
try 3 skip --repeat 2
says '^     2  hang: rank 1 left out one call on comm1'
try 3 count --record "$out/made.lua"
reports 'made\.lua: [0-9]+ lines; its run ends as the record shows: hang: count-mismatch, rank 1$'
"$NCCLSCRIPT" run "$out/made.lua" >"$out/stdout" 2>"$out/stderr" || fail "$name: the scenario ends otherwise"
try 0 right --record "$out/made.lua"
reports 'its run (passes|ends) as the record shows'
try 3 skip --html "$out/page.html" --trace "$out/made.json"
grep -q '</html>' "$out/page.html" || fail "$name: no page"
grep -q 'ncclBroadcast' "$out/page.html" || fail "$name: the page lacks a call"
[ -s "$out/made.json" ] || fail "$name: no timeline"

# ---- one process, or many ----

try 0 forked_late
says '^child 3$'
reports 'this process was forked after its parent had used CUDA or NCCL'
try 0 forked_late --processes many
says '^child 3$'
try 3 right --processes one
reports 'the id comes from a process that is no part of this job'

# ---- signals from outside ----

# start MODE: a job in a group of its own, whose ranks have printed their numbers. $command is exec's.
start() {
    local i
    marks=$((marks + 1))
    : >"$out/stderr"
    : >"$out/stdout"
    set -m
    JOB_MARK=$$.$marks "${exec[@]}" -- "$client" "$1" 3 >"$out/stdout" 2>"$out/stderr" &
    command=$!
    set +m
    for ((i = 0; i < 1500; i++)); do
        [ "$(grep -c '^rank [0-9] is [0-9]*$' "$out/stdout")" -eq 3 ] && return
        sleep 0.02
    done
    fail "$name: it does not start"
}
# The child of exec that runs exec's own file.
machine() {
    local child
    for child in $(cat "/proc/$command/task/$command/children"); do
        [ "$(readlink "/proc/$child/exe")" = "$(realpath "$NCCLSCRIPT")" ] && echo "$child"
    done
}
rank_is() { sed -n "s/^rank $1 is //p" "$out/stdout"; }
# ended STATUS...: exec's.
ended() {
    wait "$command" 2>/dev/null
    local got=$?
    [[ " $* " = *" $got "* ]] || fail "$name: exit status $got, not $*"
    nothing_is_left $$.$marks
}
for mode in idle loop; do
    name="$mode: SIGINT to exec"
    start $mode
    kill -INT "$command"
    ended 130
    name="$mode: SIGINT to all"
    start $mode
    kill -INT -- "-$command"
    ended 130
    name="$mode: SIGTERM to exec"
    start $mode
    kill -TERM "$command"
    ended 143
    name="$mode: SIGKILL to exec"
    start $mode
    kill -KILL "$command"
    ended 137
    name="$mode: SIGKILL to the machine"
    start $mode
    kill -KILL "$(machine)"
    ended 6
    reports '^ncclscript exec: the process with the simulator was ended by signal 9 \(Killed\), and the job with it$'
done
name="a rank of two is stopped, then ended"
start loop_joined
kill -STOP "$(rank_is 1)"
kill -KILL "$(rank_is 1)"
ended 3
reports "^  why   rank 1 was ended by "

finish "jobs of many processes"
