#!/usr/bin/env bash
# `ncclscript record`: jobs of processes on libraries that stand in for the real ones, ended by SIGKILL, and what diagnose
# says of their recordings.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
unset "${!NCCLSCRIPT_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
job=$(dirname "$NCCLSCRIPT")/tests/record/record_job
ldd "$job" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1 STAND_IN_STUCK=$out/stuck
touch "$STAND_IN_STUCK"

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/said" 2>/dev/null
    failures=$((failures + 1))
}

# start RANKS STEP...: starts the ranks under record, and waits until each stays somewhere for ever. Then kills them.
start() {
    local ranks=$1 rank pid=() tries=0
    shift
    rm -rf "$out/rec" "$STAND_IN_STUCK".*
    for ((rank = 0; rank < ranks; rank++)); do
        RANK=$rank WORLD_SIZE=$ranks "$NCCLSCRIPT" record -o "$out/rec" "${options[@]}" -- "$job" "$@" &
        pid+=($!)
    done
    while [ "$(ls "$STAND_IN_STUCK".* 2>/dev/null | wc -l)" -lt "$ranks" ] && [ $((tries++)) -lt 600 ]; do
        sleep 0.05
    done
    kill -9 "${pid[@]}"
    wait "${pid[@]}" 2>/dev/null
    touch "$STAND_IN_STUCK"
}
options=()

# diagnose NAME STATUS; then says looks at what came.
diagnose() {
    name=$1
    "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
    local got=$?
    [ "$got" -eq "$2" ] || fail "$name: exit status $got, not $2"
}
says() { grep -qE -- "$1" "$out/said" || fail "$name: lacks: $1"; }
leaves_out() { ! grep -qE -- "$1" "$out/said" || fail "$name: has: $1"; }

{
start 4 join reduce 3 2:sleep reduce 1 sync
diagnose "a rank that stops" 3
says 'HANG .* 4 ranks, recordings: likely, not certain'
says 'communicator comm1, call 4: AllReduce float32 x 8 sum'
says 'rank 2 +never made call 4: its recording ends after call 3 on comm1'
says 'rank 0 +waits in cudaStreamSynchronize\(\) +(([^ ]*/)?job\.c:[0-9]+|main\+0x)'
[ "$(ls "$out/rec" | grep -cE '^[0-3]@.*\.[0-9]+\.ncclrec$')" -eq 4 ] || fail "$name: $(ls "$out/rec")"

start 4 join reduce 2 1:count 9 '!1:count' 8 sync
diagnose "sizes" 3
says 'call 3 on comm1 has count 9 .* on rank 1 .* count 8 .* on ranks 0, 2, 3'

start 3 named reduce 2 0:sleep reduce 1 sync
diagnose "a name" 3
says 'communicator data, call 3: AllReduce'

start 4 join reduce 2 3:bcast 1 '!3:bcast' 0 sync
diagnose "roots, by the older name" 3
says 'call 3 on comm1 has root 1 on rank 3'

start 4 join split pairs half 3 2:half 1 '!2:reduce' 1 sync
diagnose "communicators of a split, and groups" 3
says 'comm1/split1\.0'

start 2 join reduce 2 dlopen reduce 2 1:reduce 1 sync
diagnose "calls by dlsym" 3
says 'rank 1 made 5 calls|call 5'

start 4 join reduce 3 look 100000 2:poll reduce 1 sync
diagnose "queries are in no ring" 3
says 'rank 2 +never made call 4: it is in cudaEventQuery\(\), for work that is none of NCCL'
says 'it could also be that rank 2 is slow'

start 3 join reduce 5 sync
diagnose "nothing is wrong" 0
says 'PASS .* nothing wrong found in 15 calls'
says 'note +ranks 0, 1, 2 wait in the CUDA runtime although every rank has made the calls'

start 4 join reduce 3 sync
rm "$out"/rec/1@*
diagnose "a rank without a file" 3
says 'rank 1 left no recording; ranks 0, 2, 3 wait for it'
says 'call 3: AllReduce'
says 'it could also be that rank 1 waits like the others'

start 4 join reduce 3 sync
truncate -s 9000 "$out"/rec/1@*
diagnose "a file that is cut off" 3
says 'note .*/1@.* cannot be read: the recording is cut off: 9000 of [0-9]+ bytes'
says 'it could also be that rank 1 waits like the others: its recording cannot be read'

start 4 join reduce 3 sync
sed -i 's/ncclCommInitRank/ncclCommInitBank/' "$out"/rec/1@*
diagnose "a recording without its join" 0
says 'the calls on comm1 are not compared: the recordings do not show 1 of its 4 ranks'
leaves_out 'ranks? -1'

damaged() { # NAME OFFSET BYTES MESSAGE
    name=$1
    cp "$out/sound" "$out/rec/0@x.ncclrec"
    printf "$3" | dd of="$out/rec/0@x.ncclrec" bs=1 seek="$2" conv=notrunc status=none
    diagnose "$1" 2
    says "$4"
    says '0@x.ncclrec: '
}
cp "$out"/rec/0@* "$out/sound"
rm "$out"/rec/*
damaged "another version" 8 '\x07' 'a recording of version 7: version 2 is expected'
damaged "another byte order" 12 '\x01\x02' 'another byte order'
damaged "an area outside of the file" 27 '\x7f' 'area 0 of the recording is damaged'
damaged "entries of another size" 36 '\x41' 'area 0 of the recording is damaged: .* entries of 65 bytes'
head -c 100 "$out/sound" >"$out/rec/0@x.ncclrec"
diagnose "the beginning of a head" 2
says 'the recording is cut off: 100 of at least 4096 bytes'

start 3 join reduce 2 '!0:count' 1099511627776 0:reduce 1 sync
diagnose "calls that NCCL refused" 3
says "note +ncclAllReduce returned ncclInvalidArgument on ranks 1, 2, first at ([^ ]*/)?(job\.c:|main\+)"

# ---- rings that are full ----
options=(--calls 64)
start 4 join split reduce 500 pairs half 30 2:sleep reduce 7 sync
diagnose "calls that were overwritten" 3
says 'communicator comm1, call 503: AllReduce'
says 'rank 2 +never made call 503'
says 'note +4 recordings have overwritten their oldest calls'
"$NCCLSCRIPT" diagnose -q "$out/rec" --scenario "$out/late.lua" --force 2>"$out/said" >&2
says 'its run .*; the first calls are missing: newer calls have replaced them in the record$'
grep -q '^-- Note: the first calls are missing: ' "$out/late.lua" || fail "$name: the scenario does not say so"

start 4 join reduce 500 pairs pairs sync
diagnose "groups that were overwritten in part" 0
leaves_out 'rank [0-9] made'

start 4 join 3:sleep reduce 300 sync
diagnose "a rank that was left behind" 3
says 'rank 3 made 0 calls on comm1|rank 3 made no call'
options=()

# ---- launchers ----
launched() {
    name=$1
    shift
    rm -rf "$out/rec"
    env "$@" "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 2
    ls "$out/rec" >"$out/said"
}
launched mpirun OMPI_COMM_WORLD_RANK=5 SLURM_PROCID=0; says '^5@'
launched prrte PMIX_RANK=6; says '^6@'
launched mpich PMI_RANK=4; says '^4@'
launched srun SLURM_PROCID=7; says '^7@'
launched torchrun RANK=3 OMPI_COMM_WORLD_RANK=0; says '^3@'
launched none JOB_RANK=1 JOB_SIZE=2; says "^1@"

# A script under srun has started the ranks itself: all of them have the script's number.
rm -rf "$out/rec"
for rank in 0 1; do
    SLURM_PROCID=0 JOB_RANK=$rank JOB_SIZE=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 2
done
diagnose "ranks by the communicator" 0
says '2 ranks, recordings: nothing wrong found in 4 calls'

# A job that came to its end although its ranks disagreed.
rm -rf "$out/rec"
for rank in 0 1 2; do
    RANK=$rank WORLD_SIZE=3 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 2 1:count 9 '!1:count' 8 reduce 2
done
diagnose "a job that ended with a mismatch" 1
says '^WRONG .* 3 ranks'
says 'call 3 on comm1 has count 9 .* on rank 1 .* count 8 .* on ranks 0, 2'

# Ranks that are read while they run are at different calls.
rm -rf "$out/rec"
running=()
for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join 1:reduce 1 reduce 2000000000 &
    running+=($!)
done
tries=0
until { "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" 2>/dev/null >"$out/said"; [ $? -eq 3 ]; } || [ $((tries++)) -ge 300 ]; do sleep 0.02; done
name="a job that goes on"
says '^HANG'
says 'it could also be that the job goes on|left no recording'
kill -9 "${running[@]}"
wait "${running[@]}" 2>/dev/null
name="a job that was stopped"
"$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
leaves_out 'the job goes on'

# A plug-in's own libnccl.
rm -rf "$out/rec"
"$NCCLSCRIPT" record -o "$out/rec" -- "${job%job}host" "${job%record_job}librecord_plugin.so" || fail "the plug-in failed"
diagnose "a plug-in, opened twice" 0
says 'nothing wrong found in 14 calls'
"${job%job}host" "${job%record_job}librecord_plugin.so" deep || fail "RTLD_DEEPBIND without the recorder"
"$NCCLSCRIPT" record -o "$out/rec" -- "${job%job}host" "${job%record_job}librecord_plugin.so" deep || fail "RTLD_DEEPBIND"

# A constructor and a destructor of the program call NCCL.
rm -rf "$out/rec"
JOB_EARLY=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" reduce 2 || fail "calls in a constructor: status"
diagnose "calls in a constructor and a destructor" 0
says 'nothing wrong found in 2 calls'
leaves_out 'note'

# Many threads.
rm -rf "$out/rec"
"$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 1024 || fail "1024 ranks in one process: status"
diagnose "1024 ranks in one process" 0
says '1024 ranks, recordings: nothing wrong found in 3072 calls'
leaves_out 'note'
rm -rf "$out/rec"
"$NCCLSCRIPT" record -o "$out/rec" --calls 64 -- "$job" ranks 200 || fail "more threads than there is room for: status"
diagnose "more threads than there is room for" 5 # few of the calls are left
says 'note +the calls of [0-9]+ threads are missing: the recording had no room for more threads at a time'

# A child has a file of its own.
rm -rf "$out/rec"
RANK=0 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 2 fork join reduce 1
[ "$(ls "$out/rec" | wc -l)" -eq 2 ] || fail "fork: $(ls "$out/rec")"

# A process that is stopped and goes on has lost nothing.
rm -rf "$out/rec"
"$NCCLSCRIPT" record -o "$out/rec" --calls 262144 -- "$job" join tell 200000 >"$out/told" &
pid=$!
for _ in 1 2 3 4 5; do
    sleep 0.02
    kill -STOP $pid 2>/dev/null && "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
    [ $? -lt 128 ] || fail "a process that is stopped"
    kill -CONT $pid 2>/dev/null
done
wait $pid
diagnose "a process that was stopped and went on" 0
says 'nothing wrong found in 200000 calls'
} 2>"$out/errors"
grep -v Killed "$out/errors"

# ---- the command ----
name="exit status"
"$NCCLSCRIPT" record -o "$out/rec2" -- sh -c 'exit 7'; [ $? -eq 7 ] || fail "$name"
[ -z "$(ls "$out/rec2")" ] || fail "a program without NCCL left a file"
"$NCCLSCRIPT" record -o "$out/rec2" -- "$out/nowhere" 2>"$out/said"; [ $? -eq 127 ] || fail "no program: status"
says 'cannot run .*nowhere'
"$NCCLSCRIPT" record -o "$out/stuck" -- true 2>"$out/said"; [ $? -eq 2 ] || fail "no folder: status"
says 'record: --output .*stuck: '
"$NCCLSCRIPT" record 2>"$out/said"; [ $? -eq 2 ] || fail "no program given: status"
says 'no program was given'
RANK=0 WORLD_SIZE=1 NCCLSCRIPT_RECORD=/proc/none LD_PRELOAD=$(dirname "$NCCLSCRIPT")/lib/ncclscript/libncclscript-record.so \
    "$job" join reduce 3 2>"$out/said"; [ $? -eq 0 ] || fail "a folder that cannot be made ends the job"
says 'this process is not recorded'
[ "$(wc -l <"$out/said")" -eq 1 ] || fail "more than one line for a folder that cannot be made"

[ "$failures" -eq 0 ]
