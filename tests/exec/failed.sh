#!/usr/bin/env bash
# Calls that fail while the program goes on: exec lists them at the end, and is silent where the program has noticed.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1 ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
client=${clients}failed
# Without libdw a place is an address in a function.
line() { echo "(tests/exec/failed\\.c:$(grep -n "line: $1 \\*/" tests/exec/failed.c | cut -d : -f 1)|[a-z_]+\\+0x[0-9a-f]+)"; }
told='failed and the program went on'

all="7 calls $told: ncclCommInitAll ncclUnhandledCudaError \($(line init)\), ncclAllReduce ncclInvalidArgument \(4 times at $(line reduce)\), cudaSetDevice cudaErrorInvalidDevice \(2 times at $(line device)\)"
run "no code is looked at" 0 "${exec[@]}" -n 2 -- "$client" ignored
reports "^ncclscript: $all\$"
for level in error undefined note; do
    run "--fail-on $level" 1 "${exec[@]}" -n 2 --fail-on $level -- "$client" ignored
    reports '^FAIL  .*exec_failed'
    reports "^  note  $all\$"
    reports "^  fails failed-call \(--fail-on $level\)\$"
done
run "as JSON" 1 "${exec[@]}" -n 2 --fail-on error --format json -- "$client" ignored
reports '"verdict": "pass".*"exit": 1,.*"errors": \[\{"rank": null, "thread": 0, "kind": "nccl", "name": "ncclUnhandledCudaError", "code": 1, "call": "ncclCommInitAll", '
reports '"call": "ncclAllReduce", "comm": null, "line": .*"count": 4\}'
reports '"notes": \["7 calls failed '
reports '"message": "pass, but fails: failed-call \(--fail-on error\): 7 calls failed .*"failing": \["failed-call"\]'
run "as a page" 0 "${exec[@]}" -n 2 --html "$out/page.html" -- "$client" ignored
grep -q "note .*7 calls $told" "$out/page.html" || fail "$name: the page does not say so"
run "several runs" 1 "${exec[@]}" -n 2 --repeat 2 --fail-on error -- "$client" ignored
says "^ +2  pass, but fails: failed-call \(--fail-on error\): 7 calls $told"

# The program has noticed, or the code was an answer.
for mode in checked checked_group; do
    run "$mode" 1 "${exec[@]}" -n 2 -- "$client" $mode
    leaves_out "$told"
done
run "probes" 0 "${exec[@]}" -n 2 --fail-on error -- "$client" probes
leaves_out "$told"
# It has not noticed all of them.
run "noticed late" 1 "${exec[@]}" -n 2 -- "$client" noticed_late
reports "^ncclscript: 1 call $told: cudaSetDevice cudaErrorInvalidDevice \($(line late)\)\$"
run "the last call" 0 "${exec[@]}" -n 2 -- "$client" unnoticed_last
reports "^ncclscript: 1 call $told: cudaFree cudaErrorInvalidValue \($(line last)\)\$"
run "many places" 0 "${exec[@]}" -n 2 -- "$client" places
reports "^ncclscript: 100 calls $told: (cuda[A-Za-z]+ cudaError[A-Za-z]+ \([^)]*\), ){6}and (70|94) more\$"

run "in a loop" 0 "${exec[@]}" -n 2 -- "$client" repeated
reports "^ncclscript: 200000 calls $told: cudaSetDevice cudaErrorInvalidDevice \(200000 times at $(line repeated)\)\$"
run "threads" 1 "${exec[@]}" -n 4 --fail-on error -- "$client" threads
reports "^  note  3 calls $told: ncclBroadcast ncclInvalidArgument \(3 times at $(line root) on ranks 0, 1, 3\)\$"
# Some wait for a rank that has failed: the cause says so.
run "a hang" 3 "${exec[@]}" -n 2 -- "$client" hang
reports "^  why .*ncclInvalidArgument"
leaves_out "$told"

# Each process has a status of its own: rank 1 ends because of its second failure.
at="(tests/exec/processes\\.c:$(grep -n 'line: ignored \*/' tests/exec/processes.c | cut -d : -f 1)|ignores\\+0x[0-9a-f]+)"
run "processes" 5 "${exec[@]}" -- "${clients}processes" ignores 3
reports "^ncclscript: 3 calls $told: ncclBroadcast ncclInvalidArgument \(3 times at $at on ranks 0, 1, 2\)\$"

cat >"$out/raises.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcudart.so.13")
x = ctypes.c_void_p()
cuda.cudaMalloc(ctypes.byref(x), ctypes.c_size_t(8))
if cuda.cudaSetDevice(99) and sys.argv[1] == "raises":
    raise RuntimeError("no such device")
cuda.cudaFree(x)
END
if python3 -c 'import ctypes' 2>/dev/null; then
    run "Python raises" 1 "${sanitized[@]}" "${exec[@]}" -- python3 "$out/raises.py" raises
    leaves_out "$told"
    run "Python goes on" 0 "${sanitized[@]}" "${exec[@]}" -- python3 "$out/raises.py" goes_on
    reports "^ncclscript: 1 call $told: cudaSetDevice cudaErrorInvalidDevice( \(.*raises\.py:5\))?\$"
fi
finish "failed calls"
