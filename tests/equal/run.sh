#!/usr/bin/env bash
# Equal inputs give equal bytes: with other addresses, on fibers and on threads, and by other instructions of the processor.
# NCCLSCRIPT_EQUAL is how many reruns each command gets (a test: 2; on demand: 1000, about half an hour). 64-bit Arm is
# compared by tests/arm64/run.sh.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "left out: a sanitizer chooses addresses"; exit 77; fi
program=$(realpath "$NCCLSCRIPT")
reruns=${NCCLSCRIPT_EQUAL:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 HOME=$work
runs=0 failed=0 left_out=()
scenarios=scenarios/basics bug='scenarios/bugs/order/moved_call.lua[ranks=3,odd=0]'
[ "$reruns" -gt 10 ] && scenarios=scenarios
client=$(dirname "$program")/tests/exec/exec_hang

"$program" run --dump fr "$work/dump" "$bug" >/dev/null 2>&1
printf 'x = cuda.buffer("float32", 8)\nworld:all_reduce(x)\n@1 stream:sync()\n:waits\n' >"$work/typed"

# NAME COMMAND: what it prints, and the files that it writes to $out.
commands=(
    "run|$program run --no-times -j 2 $scenarios"
    "seeded|$program run --no-times --seed 7 $scenarios"
    "json|$program run --no-times --format json $scenarios"
    "html|$program run --no-times --html \$out/page.html '$bug'"
    "dump|$program run --no-times --dump log \$out/dump '$bug'"
    "check|$program check scenarios/basics"
    "diagnose|$program diagnose -v --scenario \$out/again.lua $work/dump"
    "shrink|$program shrink -o \$out/small.lua '$bug'"
    "bench|$program bench all_reduce -b 8 -e 1K -f 2 -g 4 --clock virtual"
    "explain|$program explain skipped-call"
    "repl|$program repl <$work/typed"
    "lesson|$program lesson --test 5"
)
[ -x "$client" ] && commands+=("exec|NCCLSCRIPT_QUIET=1 $program exec -- $client")

# get NAME COMMAND PREFIX...: its bytes, in $work/NAME.
get() {
    local to=$work/got.$1 command=$2
    shift 2
    rm -rf "$work/out" && mkdir -p "$work/out"
    out=$work/out "$@" bash -c "$command" >"$to" 2>&1
    echo "status $?" >>"$to"
    (cd "$work/out" && find . -type f | LC_ALL=C sort | xargs -r -d '\n' tail -n +1) >>"$to"
    runs=$((runs + 1))
}

# same NAME COMMAND HOW PREFIX...
same() {
    local name=$1 command=$2 how=$3
    shift 3
    get "$name" "$command" "$@"
    cmp -s "$work/want" "$work/got.$name" && return
    failed=$((failed + 1))
    echo "FAIL $name, $how:"
    diff "$work/want" "$work/got.$name" | head -n 10
}

addresses=(env)
setarch -R true 2>/dev/null && addresses=(setarch -R) || left_out+=("fixed addresses")
for entry in "${commands[@]}"; do
    name=${entry%%|*} command=${entry#*|}
    get "$name" "$command" env
    mv "$work/got.$name" "$work/want"
    same "$name" "$command" "at fixed addresses" "${addresses[@]}"
    for ((i = 0; i < reruns; i++)); do
        same "$name" "$command" "rerun $i" env
    done
    same "$name" "$command" "without newer instructions in the C library" \
        env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-AVX512F,-AVX512VL,-FMA,-ERMS
    same "$name" "$command" "with another allocator's choices" env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 MALLOC_PERTURB_=165
    case $name in
    run | seeded | json) same "$name" "$command --ranks-as thread" "on threads" env ;;
    esac
done

# A processor without AVX2 and F16C combines data by other loops.
if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    folder=scenarios/basics
    [ "$reruns" -gt 10 ] || folder="scenarios/basics/average.lua scenarios/basics/a*.lua"
    get old "$program run --no-times -j 1 $folder" env
    mv "$work/got.old" "$work/want"
    same old "qemu-x86_64 -cpu Nehalem $program run --no-times -j 1 $folder" "on an old processor" env
else
    left_out+=("an old processor (qemu-x86_64)")
fi
echo "$runs runs, $failed not equal${left_out[*]:+; left out: ${left_out[*]}}"
[ "$failed" -eq 0 ]
