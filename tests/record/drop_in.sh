#!/usr/bin/env bash
# `ncclscript record` over the drop-in libraries as the real ones: the finding is that of exec, correct programs are not
# accused and do as without the recorder, and a million calls take no more memory.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
unset "${!NCCLSCRIPT_@}" "${!NCCL_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
build=$(dirname "$NCCLSCRIPT")
libraries=$build/lib/ncclscript
ldd "$libraries/libncclscript-sim.so" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1 LD_LIBRARY_PATH=$libraries

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/said"
    failures=$((failures + 1))
}

# A program of threads hangs. exec ends it, and reports the program's places, not those of the recorder's wrappers.
plain() { sed -nE 's/((main|rank_main|[a-zA-Z]+)\+0x[0-9a-f]+|[^ ]+\.c:[0-9]+)/PLACE/g; /^  (why|more) /p' "$1"; }
NCCLSCRIPT_GPUS=4 "$NCCLSCRIPT" record -o "$out/train" -- "$build/tests/exec/exec_train" >"$out/exec" 2>&1
[ $? -eq 3 ] || { cp "$out/exec" "$out/said"; fail "train: the program did not hang"; }
in_train='(rank_main\+0x[0-9a-f]+|([^ ]*/)?train\.c:[0-9]+)'
cp "$out/exec" "$out/said"
grep -qE "^    rank 2  never made call 2: destroyed comm1 +$in_train$" "$out/said" || fail "train: a place of exec is not the program's"
grep -q 'functions\.def' "$out/said" && fail "train: a place of exec is the recorder's"
(unset LD_LIBRARY_PATH; "$NCCLSCRIPT" exec -n 4 -- "$NCCLSCRIPT" record -o "$out/below" -- "$build/tests/exec/exec_train") >"$out/said" 2>&1
[ $? -eq 3 ] || fail "train below exec and record: the program did not hang"
grep -qE "rank 2 destroyed comm1 at $in_train after 1 call" "$out/said" || fail "train below exec and record: another place"
"$NCCLSCRIPT" diagnose "$out/train" >"$out/said" 2>&1
[ $? -eq 3 ] || fail "train: the exit status of diagnose"
[ -n "$(plain "$out/said")" ] && [ "$(plain "$out/said")" = "$(plain "$out/exec")" ] || fail "train: another finding than exec's: $(plain "$out/exec")"
place='(rank_main\+0x[0-9a-f]+|([^ ]*/)?train\.c:[0-9]+)' # by symbols, or by debug information
grep -qE "rank 2 destroyed comm1 at $place after 1 call; .* AllReduce float32 x 8 sum at $place" "$out/said" ||
    fail "train: the places are not the program's"
[[ $(ls "$out/train") == *@* ]] && fail "train: the file is named by a rank: $(ls "$out/train")"
grep -q 'recordings: likely, not certain' "$out/said" || fail "train: certain"

# Threads that join nothing, threads that poll, a thread that calls for others: the same kind of finding as exec's.
for client in places_named pollers helper hang; do
    rm -rf "$out/rec"
    NCCLSCRIPT_GPUS=4 "$NCCLSCRIPT" record -o "$out/rec" -- "$build/tests/exec/exec_$client" >"$out/exec" 2>&1
    [ $? -eq 3 ] || { cp "$out/exec" "$out/said"; fail "$client: the program did not hang"; }
    "$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
    [ $? -eq 3 ] && [ "$(grep '^  more' "$out/said")" = "$(grep '^  more' "$out/exec")" ] ||
        fail "$client: another finding than exec's: $(grep '^  more' "$out/exec")"
done

# One process has all ranks: a rank that never joins is the culprit, not the process, and no destroy waits for another rank.
NCCLSCRIPT_GPUS=8 NCCLSCRIPT_QUIET=1 "$NCCLSCRIPT" record -o "$out/one" -- "$build/tests/doors/doors_program" one no-init 8 >"$out/exec" 2>&1
"$NCCLSCRIPT" diagnose --scenario "$out/one.lua" "$out/one" >"$out/said" 2>&1
grep -q 'why   7 of 8 ranks joined comm1 with ncclCommInitRank, rank 5 of comm1 did not$' "$out/said" &&
    grep -q 'its run ends as the record shows: hang: init-missing-rank, rank 5$' "$out/said" || fail "one thread: another culprit"
NCCLSCRIPT_GPUS=8 NCCLSCRIPT_QUIET=1 "$NCCLSCRIPT" record -o "$out/left" -- "$build/tests/doors/doors_program" threads no-destroy 8 >"$out/exec" 2>&1
"$NCCLSCRIPT" diagnose --scenario "$out/left.lua" "$out/left" >"$out/said" 2>&1
grep -q 'its run ends as the record shows: pass$' "$out/said" || fail "threads: a scenario's destroy waits"

for client in one_thread threads memory lives patterns recovery; do
    rm -rf "$out/rec"
    NCCLSCRIPT_GPUS=4 "$NCCLSCRIPT" record -o "$out/rec" -- "$build/tests/exec/exec_$client" >"$out/with" 2>&1
    with=$?
    NCCLSCRIPT_GPUS=4 "$build/tests/exec/exec_$client" >"$out/without" 2>&1
    [ "$with" -eq $? ] && cmp -s "$out/with" "$out/without" || { cp "$out/with" "$out/said"; fail "$client does otherwise"; }
    "$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
    [ $? -eq 0 ] && grep -q '^PASS ' "$out/said" || fail "$client is accused"
    grep -q note "$out/said" && fail "$client: the recording lacks something"
done

# A million calls: the file has its size from the start on, and the process no more memory than before.
unset LD_LIBRARY_PATH
"$NCCLSCRIPT" record -o "$out/many" -- "$build/tests/record/record_job" join reduce 1000 memory reduce 1000000 memory \
    >"$out/said" 2>&1
{ read -r before && read -r after; } <"$out/said"
[ "${after:-9999999}" -le $((before + 256)) ] || fail "a million calls: $before KiB before, $after KiB after"
[ "$(stat -c %s "$out"/many/*)" -lt 8000000 ] || fail "a million calls: the file has $(stat -c %s "$out"/many/*) bytes"
"$NCCLSCRIPT" diagnose "$out/many" >"$out/said" 2>&1
grep -q 'nothing wrong found in 32768 calls' "$out/said" || fail "a million calls: calls are lost"

# Eight threads at once: no entry is lost.
"$NCCLSCRIPT" record -o "$out/crowd" --calls 200000 -- "$build/tests/record/record_job" join crowd 20000 >"$out/said" 2>&1
"$NCCLSCRIPT" diagnose "$out/crowd" >"$out/said" 2>&1
grep -q 'nothing wrong found in 160000 calls' "$out/said" || fail "eight threads: calls are lost"

# SIGKILL in the middle of calls: every one that has returned is there. The process prints how many that are.
rm -rf "$out/many"
: >"$out/told"
"$NCCLSCRIPT" record -o "$out/many" --calls 1000000 -- "$build/tests/record/record_job" join tell 200000 >"$out/told" 2>"$out/said" &
pid=$!
tries=0
while [ "$(wc -l <"$out/told")" -lt 20000 ] && [ $((tries++)) -lt 6000 ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
told=$(grep -c '^.$' "$out/told")
"$NCCLSCRIPT" diagnose --format json "$out/many" >"$out/said" 2>&1 # the process may have ended within a call
calls=$(sed -nE 's/.*"calls": ([0-9]+),.*/\1/p' "$out/said")
[ "${calls:-0}" -ge "$told" ] && [ "${calls:-0}" -le $((told + 1)) ] || fail "SIGKILL: $told calls have returned, ${calls:-no} calls are recorded"

[ "$failures" -eq 0 ]
