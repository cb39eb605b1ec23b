#!/usr/bin/env bash
# The command compare, with drop-in libraries as the real ones: what is the same, what differs, what is
# skipped, and what it says of each.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
build=$(dirname "$program")
faulty=$build/tests/real/libfaulty_nccl.so libraries=$build/lib/ncclscript
[[ -e $faulty && -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0

# on LIBRARY STATUS EXPECTED ARGUMENT...: the exit status, and the lines on standard output, with BITS for
# fingerprints.
on() {
    local library=$1 want=$2 text=$3 got
    shift 3
    timeout 100 "$program" compare --nccl-lib "$library" \
        --cudart-lib "$libraries/libcudart.so.13" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    ran=$((ran + 1))
    sed -E 's/[0-9a-f]{16}/BITS/g' "$work/out" >"$work/plain"
    if [[ $got != "$want" ]] || ! diff <(printf '%s' "$text") "$work/plain" >"$work/diff"; then
        echo "compare $*: status $got, expected $want; expected <, got >:"
        cat "$work/diff" "$work/err"
        failed=$((failed + 1))
    fi
}

cd "$work" || exit 1
cat >two.lua <<'S'
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 64):fill(rank + 1), cuda.buffer("int32", 64):fill(rank + 1)
world:all_reduce(x)
world:all_reduce(y)
stream:sync()
expect.equal(x, 3)
S
cat >apart.lua <<'S'
scenario { ranks = 2, needs = { driver = "sim" } }
S
cat >broken.lua <<'S'
scenario { ranks = 0 }
S
printf 'steps:\n  - al_reduce: world\n  - syncc: stream\n' >slip.yaml
cat >hang.lua <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then world:all_reduce(x) end
S
cat >version.lua <<'S'
scenario { ranks = 1 }
if nccl.version() < 22900 then expect.that(true) end
S
cat >unwritten.lua <<'S'
scenario { ranks = 2 }
local x, y = cuda.buffer("int32", 8), cuda.buffer("int32", 8):fill(rank)
x:slice(1, 4):fill(7)
world:broadcast(x, { root = 0 })
world:broadcast(y, { root = 1 })
stream:sync()
S
good=$libraries/libnccl.so.2
# Bytes that nothing has written differ from machine to machine.
on "$good" 0 'SAME     unwritten.lua: pass, 4 results compared, 2 of them by their bounds
1 scenario: 1 the same, 0 differ
' unwritten.lua
# The simulator has the version of the library, or the next older one that it knows.
NCCLSCRIPT_NCCL_VERSION=2.28.9 on "$good" 0 'SAME     version.lua: pass, 0 results compared
1 scenario: 1 the same, 0 differ
' version.lua
on "$good" 0 'SAME     two.lua: pass, 4 results compared, 2 of them by their bounds
SAME     hang.lua: hang, 2 results compared, 2 of them by their bounds
SKIPPED  apart.lua: needs driver `sim`, this run is on `nccl`
3 scenarios: 2 the same, 0 differ, 1 skipped
' --timeout 10s two.lua hang.lua apart.lua
on "$good" 77 'SKIPPED  apart.lua: needs driver `sim`, this run is on `nccl`
1 scenario: 0 the same, 0 differ, 1 skipped
' apart.lua
on "$good" 0 '2 scenarios: 1 the same, 0 differ, 1 skipped
' -q two.lua apart.lua
export FAULT=max
on "$faulty" 1 'DIFFERS  two.lua
  verdict  sim pass, nccl wrong
  expectation  rank 1, line 6: sim none, nccl failed
  result  rank 1, ncclAllReduce, line 3: sim none, nccl wrong
  result  rank 1, ncclAllReduce, line 4: sim none, nccl wrong
  value  rank 1, ncclAllReduce 2 on 1 of 2, line 4: sim BITS, nccl BITS
1 scenario: 0 the same, 1 differs
' two.lua
unset FAULT

# complains STATUS TEXT ARGUMENT...: on standard error, and nothing else is done.
complains() {
    local want=$1 text=$2 got
    shift 2
    timeout 100 "$program" compare "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    ran=$((ran + 1))
    if [[ $got != "$want" ]] || ! grep -qF -- "$text" "$work/err"; then
        echo "compare $*: status $got, expected $want and \"$text\":"
        cat "$work/out" "$work/err"
        failed=$((failed + 1))
    fi
}
complains 2 "no scenario was given"
complains 2 "--nccl-lib: no file \`/nowhere/libnccl.so.2\`" --nccl-lib /nowhere/libnccl.so.2 two.lua
complains 2 "broken.lua:1:12: " --nccl-lib "$good" --cudart-lib "$libraries/libcudart.so.13" broken.lua
complains 2 "slip.yaml:3:5: error: " --nccl-lib "$good" --cudart-lib "$libraries/libcudart.so.13" slip.yaml
cd - >/dev/null || exit 1
timeout 250 "$program" compare -q --timeout 10s --nccl-lib "$good" --cudart-lib "$libraries/libcudart.so.13" \
    scenarios/basics scenarios/patterns scenarios/bugs/{communicators/fixed,buffers/in_place_offset.lua} \
    'scenarios/bugs/participants/skipped_call.lua[ranks=4,odd=1]' scenarios/bugs/arguments/op_mismatch.lua \
    >"$work/out" 2>"$work/err" </dev/null || { cat "$work/out" "$work/err"; failed=$((failed + 1)); }
tail -n 1 "$work/out"
cd "$work" || exit 1
mkdir empty
complains 5 "nothing was executed" empty

echo "$ran runs, $failed wrong"
((ran > 0 && failed == 0))
