#!/usr/bin/env bash
# Programs as users write them, under exec: what they print, what is reported, the exit status.
set -u
. tests/exec/common.bash

run "the first line" 0 "${exec[@]}" -n 2 -- "${clients}one_thread"
says '^one thread, 2 devices: ok$'
reports '^ncclscript: this is no GPU: NCCL 2\.32\.3 and CUDA are simulated, with 2 devices'
[ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"

export NCCLSCRIPT_QUIET=1
for policy in strict typical; do
    for gpus in 2 4 8; do
        for client in one_thread threads memory lives patterns recovery; do
            run "$client, $gpus devices, $policy" 0 \
                "${exec[@]}" -n $gpus --policy $policy -- "$clients$client"
            says ': ok$|devices: ok$'
            silent
        done
    done
done
# The same programs compiled with the official headers, those that were found.
for program in "$clients"official_*; do
    [ -x "$program" ] || continue
    run "$program" 0 "${exec[@]}" -n 4 -- "$program"
    says ': ok$|devices: ok$'
    silent
done

run "large" 0 "${exec[@]}" -- "${clients}large"
says '^large: ok$'
reports '8 allocations of device memory \(120 GiB\)$'

# Memory that a sanitizer holds back is not counted.
if [ -z "$runtime" ]; then
    run "flat" 0 "${exec[@]}" -- "${clients}flat"
    says '^flat: ok'
    run "chunks" 0 "${exec[@]}" -n 2 -- "${clients}chunks"
    says '^chunks: ok'
    reports '^  note  rank 1 reads bytes 1-.* from memory of rank 0 .*that nothing has written since its allocation at '
fi

run "hang" 3 "${exec[@]}" -- "${clients}hang" before
says '^before$'
reports '^HANG  .*exec_hang  4 ranks, sim, seed 0$'
reports '^    rank 2  never made call 2: finished +'"$in_hang"'$'
reports '^    rank 0  waits in cudaStreamSynchronize\(\) +'"$in_hang"'$'
reports '^  why   rank 2 made one call on comm1; ranks 0, 1, 3 made 2'
grep -q 'never printed' "$out/stdout" && fail "$name: it went on"
run "hang as JSON" 3 "${exec[@]}" --format json -- "${clients}hang"
reports '^\{"schema": "ncclscript.report/1".*"verdict": "hang".*"rule": "skipped-call"'
reports '"in": "cudaStreamSynchronize", ("line": [0-9]+, "file": "tests/exec/hang\.c"|"line": null), "at": "'"$in_hang"'"'
run "one line for all calls" 3 "${exec[@]}" -- "${clients}helper"
reports '^  why   call 3 on comm1 has count 32 \(128 bytes\) on rank 2'
reports '^  or    it could also be that a call before this one is missing, or one too many, on rank 2: '
run "hang, with a time limit" 3 "${exec[@]}" --timeout 30s -- "${clients}hang"

run "no group" 3 "${exec[@]}" -- "${clients}mistakes" no_group
reports 'ncclscript explain one-thread-no-group$'
run "a rank that never joins" 3 "${exec[@]}" -- "${clients}mistakes" absent_rank
reports '^  why   2 of 3 ranks joined comm1 with ncclCommInitRank, rank 1 of comm1 did not$'
run "a rank that never joins, as JSON" 3 "${exec[@]}" --format json -- "${clients}mistakes" absent_rank
reports '"culprits": \[\{"rank": null, "comm_rank": 1, "device": null, "thread": null,'
leaves_out '": -1'
run "a lock of its own" 3 "${exec[@]}" -- "${clients}mistakes" locked
reports '^    rank [01]  never made call 1: waits for a lock or another thread +'"$in_mistakes"

run "the program ends in a group" 0 "${exec[@]}" -- "${clients}mistakes" left_group
reports '^  note  rank 0 .*ended with 1 group open'
# A program that ends while its other threads run cannot be searched for leaks.
run "an exit while another thread is in a group" 2 env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
    "${exec[@]}" -- "${clients}mistakes" cut_off
leaves_out 'group open'

run "no progress" 124 "${exec[@]}" --timeout 200ms -- "${clients}mistakes" asleep
reports '^TIMEOUT .* no call made progress(: its cause is likely, not certain)?$'

run "left" 0 "${exec[@]}" -- "${clients}mistakes" leak
reports 'left at the end: 1 communicator \(comm1: ranks 0, 1\), 1 reduction operator, 1 registered buffer, 1 allocation of device memory \(4096 B\), 1 stream that was never used$'
reports '^ncclscript: made at .*'"$in_mistakes"': 2 communicator handles, .*: 1 registered buffer, '
run "names" 0 "${exec[@]}" -- "${clients}mistakes" named
reports 'left at the end: 3 communicators \(comm1: rank 0; comm2: rank 0; 0:data: rank 0\)$'
run "streams in store" 0 "${exec[@]}" -- "${clients}mistakes" stored
reports 'left at the end: 1 stream, 127 streams that were never used$'
run "use after destroy" 1 "${exec[@]}" -- "${clients}mistakes" after_destroy
says '^code 4$'
reports 'after its destroy.*: ncclAllReduce \(1, at '"$in_mistakes"'\)$'
run "stream of another device" 0 "${exec[@]}" -- "${clients}mistakes" device
says '^code [1-9]'
reports 'given a stream of another device .*: ncclAllReduce \(1, at '"$in_mistakes"'\)$'
reports 'given memory of another device .*: ncclAllReduce \(1, at '"$in_mistakes"'\)$'
run "after their ends" 1 "${exec[@]}" -- "${clients}mistakes" twice
reports 'a stream, an event, a window or a registration after its end.*: cudaStreamSynchronize \(1, at '"$in_mistakes"'\), ncclCommDeregister \(1,'
reports 'called with an operator after its destroy: ncclAllReduce \(1, at '"$in_mistakes"
reports 'freed twice: cudaFree \(2, first at '"$in_mistakes"
reports 'an event of one device and a stream of another.*: cudaEventRecord \(1, at '"$in_mistakes"
grep -q 'left at the end' "$out/stderr" && fail "$name: something is said to be left"
run "at an address again" 0 "${exec[@]}" -- "${clients}mistakes" again
reports '^ncclscript: 1000 calls failed and the program went on: cudaMemcpyAsync cudaErrorInvalidValue '
[ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"
run "two ranks on a device" 0 "${exec[@]}" -- "${clients}mistakes" taken
reports 'from a device that another rank of it has.*: ncclCommInitRank \(2, first at '"$in_mistakes"

run "fork" 0 "${exec[@]}" -- "${clients}mistakes" forked
says '^code 5$'
reports 'this process was forked after its parent had used CUDA or NCCL'
run "id of another process" 0 "${exec[@]}" -- "${clients}mistakes" foreign_id
says '^code 5$'
reports 'ncclCommInitRank: the id comes from a process that is no part of this job'
run "a launcher without exec" 0 "${sanitized[@]}" OMPI_COMM_WORLD_SIZE=2 LD_LIBRARY_PATH="$libraries" "${clients}mistakes" launched
reports 'ncclGetUniqueId: OMPI_COMM_WORLD_SIZE says that this is a job of many processes'

run "version" 0 "${exec[@]}" --nccl-version 2.28.9 -- "${clients}mistakes" newer
says '^code 5$'
reports 'ncclCommGetUniqueId: this is NCCL 2\.28\.9, and it came with 2\.29\.2'

run "the program's status" 7 "${exec[@]}" -- "${clients}mistakes" fails
run "a signal" 6 "${exec[@]}" -- sh -c 'kill -9 $$'
run "neither NCCL nor CUDA" 5 "${exec[@]}" -- sh -c 'exit 0'
reports 'called neither NCCL nor the CUDA runtime'
run "no such program" 2 "${exec[@]}" -- ./no-such-program
reports 'cannot run `./no-such-program`'
printf 'no program\n' >"$out/data"
run "a file that may not be run" 2 "${exec[@]}" -- "$out/data"
reports 'cannot run .*/data`: Permission denied'
chmod +x "$out/data"
run "a file that is no program" 2 "${exec[@]}" -- "$out/data"
reports 'cannot run .*/data`: it is neither a program for this machine nor a script that begins with #!'
run "not in PATH" 2 bash -c 'cd "$1" && shift && "$@"' - "$out" "$NCCLSCRIPT" exec -- data
reports 'cannot run `data`: No such file or directory'
run "a folder" 2 "${exec[@]}" -- "$out"
reports 'cannot run '
run "a script" 0 "${exec[@]}" -n 2 -- bash -c '"$0"' "${clients}one_thread"
says ': ok$|devices: ok$'
run "no program" 2 "${exec[@]}"
run "without --" 2 "${exec[@]}" "${clients}hang"
reports 'write the program after `--`'

# nvcc links its static runtime by default: it has the driver's name in it, and no shared one's.
cat >"$out/own.c" <<'END'
#include <stdio.h>
int main(void) { puts("libcuda.so.1"); return 0; }
END
if "$CC" -o "$out/own" "$out/own.c"; then
    run "a CUDA runtime of its own" 5 "${exec[@]}" -- "$out/own"
    reports 'own` contains its own CUDA runtime, .*nvcc -cudart shared'
else
    fail "own: the program was not built"
fi

# Standard streams that are closed, or that nobody reads.
run "no standard output" 0 bash -c '"$@" >&-' - "${exec[@]}" -n 2 -- "${clients}one_thread"
silent
run "no standard error" 3 bash -c '"$@" 2>&-' - "${exec[@]}" -n 4 -- "${clients}hang" before
says '^before$'
run "no standard streams" 3 bash -c '"$@" <&- >&- 2>&-' - "${exec[@]}" -n 4 -- "${clients}hang"
run "nobody reads the report" 3 bash -c 'set -o pipefail; "$@" 2>&1 >&3 | true' - "${exec[@]}" -n 4 -- \
    bash -c 'sleep 0.3; exec "$0"' "${clients}hang" 3>&1

# ended SIGNAL WHOM STATUS: a signal to the command alone or to its group ends the program too.
ended() {
    name="$1 to $2" # of the command, in a group of its own
    local command child=- i
    : >"$out/stderr" # what the last program said is not to be taken for this one's
    set -m
    NCCLSCRIPT_QUIET= "${exec[@]}" -- "${clients}mistakes" asleep >"$out/stdout" 2>"$out/stderr" &
    command=$!
    set +m
    for ((i = 0; i < 1500; i++)); do
        grep -q 'this is no GPU' "$out/stderr" && break
        sleep 0.02
    done
    read -r child _ 2>/dev/null <"/proc/$command/task/$command/children"
    if [ "$2" = group ]; then kill -"$1" -- "-$command"; else kill -"$1" "$command"; fi
    wait "$command" 2>/dev/null
    local got=$?
    [ $got -eq "$3" ] || fail "$name: exit status $got, not $3"
    [ "$1" = KILL ] || grep -q '^ncclscript exec: `.*exec_mistakes` was ended by signal' "$out/stderr" ||
        fail "$name: exec prints nothing about it"
    for ((i = 0; i < 1500; i++)); do
        grep -qE '^State:.[^ZX]' "/proc/$child/status" 2>/dev/null || return
        sleep 0.02
    done
    kill -9 "$child"
    fail "$name: the program goes on"
}
ended INT group 130
ended INT command 130
ended TERM group 143
ended TERM command 143
ended KILL command 137

# An RPATH of the program goes before LD_LIBRARY_PATH: here to a library that is none of NCCL's.
cat >"$out/fake.c" <<'END'
int ncclGetVersion(int *version) { *version = 1; return 0; }
END
cat >"$out/rpath.c" <<'END'
#include <stdio.h>
int ncclGetVersion(int *version);
int main(void) { int v; ncclGetVersion(&v); printf("version %d\n", v); return 0; }
END
mkdir "$out/fake"
if ! "$CC" -shared -fPIC -Wl,-soname,libnccl.so.2 -o "$out/fake/libnccl.so.2" "$out/fake.c" ||
    ! "$CC" -o "$out/rpath" "$out/rpath.c" "$out/fake/libnccl.so.2" \
        -Wl,--disable-new-dtags,-rpath,"$out/fake"; then
    : >"$out/stdout" >"$out/stderr"
    fail "rpath: the program was not built"
fi
run "rpath" 0 "${sanitized[@]}" "${exec[@]}" -- "$out/rpath"
says '^version 23203$'

if command -v python3 >/dev/null; then
    for cudart in 12 13; do
        run "python, CUDA $cudart" 0 "${sanitized[@]}" "${exec[@]}" -n 4 -- python3 tests/exec/client.py $cudart
        says "^python, CUDA $cudart, 4 devices: ok\$"
        silent
    done
    run "the ring of the examples" 0 "${sanitized[@]}" "${exec[@]}" -n 4 -- python3 examples/ring.py
    says '^received \[3.0, 0.0, 1.0, 2.0\]$'
    run "the ring that hangs" 3 "${sanitized[@]}" "${exec[@]}" -n 4 -- python3 -u examples/ring.py 2
    reports '^HANG  examples/ring\.py  4 ranks'
    reports '^  fix   let rank 2 receive from rank 1'
fi

finish "programs under exec"
