#!/usr/bin/env bash
# Driver nccl end to end: scenarios on libraries of NCCL's and CUDA's shape that need no GPU, those of
# the simulator itself, which stand beside the binary. A program on them is as on real ones: ranks are
# threads, time is real, and nothing but the journal tells why a run stands still.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no libnccl.so.2 and libcudart.so.13 in $libraries"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ran=0

# on STATUS WORDS ARGUMENT...: the exit status, and a text that the report has. Several at a time: most
# of them wait for a hang to be taken for one.
on() {
    ran=$((ran + 1))
    while (($(jobs -rp | wc -l) >= 6)); do
        wait -n
    done
    check "$work/$ran" "$@" &
}

check() {
    local at=$1 want=$2 words=$3 got
    shift 3
    timeout 100 "$program" run --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" "$@" >"$at.out" 2>&1 </dev/null
    got=$?
    if [[ $got != "$want" ]] || ! grep -qF -- "$words" "$at.out"; then
        echo "run $*: status $got, expected $want and \"$words\":"
        cat "$at.out"
        touch "$at.failed"
    fi
}

# many WHAT JQ OPTION... < CASES: in few processes, most of which wait for a hang to be taken for one. JQ
# has to be true of each report.
many() {
    local what=$1 right=$2 cases
    shift 2
    mapfile -t cases
    ((${#cases[@]} > 0)) || return
    timeout 800 "$program" run --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" --format json "$@" "${cases[@]}" \
        >"$work/$what.json" 2>"$work/$what.err" </dev/null
    jq -r "select($right | not) | \"\(.scenario)[\(.name)]: not $what: \(.verdict): \(.difference // .message)\"" \
        "$work/$what.json" >"$work/$what.wrong" || echo "$what: jq does not read the reports" >>"$work/$what.wrong"
    (($(wc -l <"$work/$what.json") == ${#cases[@]})) ||
        echo "$what: not as many reports as the ${#cases[@]} cases" >>"$work/$what.wrong"
    [[ ! -s $work/$what.wrong ]] || { cat "$work/$what.wrong" "$work/$what.err"; touch "$work/$what.failed"; }
}

# Only the first case of a matrix: a hang takes a second here. A scenario about the simulated machine itself
# says so, and is skipped. AddressSanitizer sees the first scenario of a folder that hangs: the others
# wait in the same code.
mapfile -t files < <(find scenarios/{basics,patterns,recovery,bugs} -name '*.lua' | LC_ALL=C sort)
declare -A hangs seen
while read -r file; do
    hangs[$file]=1
done < <("$program" list --bugs scenarios/bugs | jq -r 'select(.truth.verdict == "hang") | .scenario' | uniq)
while read -r case; do
    file=${case%%[*}
    [[ ${seen[$file]:-} ]] && continue
    seen[$file]=1 ran=$((ran + 1))
    if grep -q 'driver = "sim"' "$file"; then
        echo "$case" >>"$work/sim"
    elif grep -qE 'fault\.(async_error|link|corrupt)' "$file"; then
        echo "$case" >>"$work/faults"
    elif [[ ${hangs[$file]:-} ]]; then
        [[ ${ASAN_OPTIONS:-} && ${seen[${file%/*}]:-} ]] || echo "$case" >>"$work/hangs"
        seen[${file%/*}]=1
    else
        echo "$case" >>"$work/others"
    fi
done < <("$program" run --list "${files[@]}")
((ran == ${#files[@]})) || { echo "$ran of ${#files[@]} files are listed"; touch "$work/list.failed"; }
many "skipped on driver nccl" '(.verdict == "skipped" and (.message | contains("needs driver `sim`")))' <"$work/sim"
many "skipped without the simulator" '(.verdict == "skipped" and (.message | contains("needs the simulator")))' <"$work/faults"
many "as declared" '(.as_expected and .verdict != "skipped")' --timeout 20s -j 8 <"$work/others"
many "a hang as declared" '(.as_expected and .verdict == "hang")' --timeout 1s -j 8 <"$work/hangs"
# A wait for an event is for what the event stands for, on whatever stream.
for wait in 'side:wait(e) side:sync()' 'e:sync()'; do
    event=$((${event:-0} + 1))
    cat >"$work/event$event.lua" <<S
scenario { ranks = 2, outcome = { hang = { why = "skipped-call", culprit = 1, waiting = { 0 } } } }
local x, side, e = cuda.buffer("float32", 64):fill(1), cuda.stream(), cuda.event()
world:all_reduce(x)
stream:sync()
if rank == 0 then world:all_reduce(x) e:record(stream) $wait end
S
    on 0 "hang as declared" --timeout 1s "$work/event$event.lua"
done
for name in killed_before_split stalled_thread_joined fault_on_a_communicator; do
    on 0 "hang as declared" --timeout 1s "tests/hangs/cases/$name.lua"
done
cat >"$work/died.lua" <<'S' # with all its threads: nobody waits for them
scenario { ranks = 2 }
spawn(function() sleep(1e6) end)
spawn(function() store:get("never") end)
spawn(function() while not store:get("never", { timeout = 0 }) do end end)
local t = spawn(function() sleep(0.1) fault.kill {} end)
t:join()
S
on 6 "no rank is left" --timeout 20s "$work/died.lua"
# Ranks are threads of one process: its last destroy frees the memory of all its ranks, beside a kernel of rank 0.
beside() { # beside NAME OUTCOME WHO AFTERWARDS: WHO makes a call on world before the destroy, and a line follows it
    cat >"$work/$1.lua" <<S
scenario { ranks = 3, outcome = $2 }
local rows, side = world:split { color = 0, name = "rows" }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)
world:all_reduce(x, { stream = side })
rows:all_reduce(y)
stream:sync()
side:sync()
if $3 then world:all_reduce(x, { stream = side }) end
if rank == 2 then sleep(0.3) end -- it is the last one that destroys rows
rows:destroy()
$4
side:sync()
S
}
hangs_by() { # hangs_by RULE CULPRIT WAITING CERTAINTY
    echo "{ hang = { why = '$1', culprit = $2, waiting = $3 }, finding = { rule = '$1', certainty = '$4' }, findings = 1 }"
}
beside beside "$(hangs_by destroy-beside-kernel 0 '"all"' likely)" 'rank == 0' \
    'barrier() if rank > 0 then world:all_reduce(x, { stream = side }) end'
beside beside_all '"pass"' true 'barrier()'
beside beside_none '"pass"' false 'barrier() world:all_reduce(x, { stream = side })'
beside beside_skipped "$(hangs_by skipped-call 1 '{ 0, 2 }' certain)" 'rank ~= 1' ''
for name in beside beside_all beside_none beside_skipped; do
    on 0 "PASS" --timeout 2s "$work/$name.lua"
done
on 0 "which as the last one of its process frees the memory of all its ranks" -v --timeout 2s "$work/beside.lua"
on 0 "NCCL does not report what ncclCommDestroy waits for" -v --timeout 2s "$work/beside.lua"
cat >"$work/init.lua" <<'S'
scenario { ranks = 2, world = false }
if rank == 0 then nccl.init_rank(2, nccl.unique_id(), 0) end
S
on 3 "rank 1  never joined" --timeout 1s "$work/init.lua" # nothing to abort it by: ends in the middle
on 3 "1 not run" --timeout 1s "$work/init.lua" scenarios/basics/ring.lua
on 77 "9 ranks need 9 GPUs, 8 are here" -n 9 scenarios/basics/ring.lua
NCCL_MULTI_RANK_GPU_ENABLE=1 on 0 PASS -n 9 scenarios/basics/ring.lua
cat >"$work/needs.lua" <<'S'
scenario { ranks = 2, needs = { gpus = 64 } }
S
on 77 "needs 64 GPUs" "$work/needs.lua"
cat >"$work/graph.lua" <<'S'
scenario { ranks = 2 }
cuda.graph(stream, function() world:all_reduce(cuda.buffer("float32", 4)) end)
S
echo 'C.cudaStreamBeginCapture(stream, C.cudaStreamCaptureModeRelaxed)' >"$work/raw_graph.lua"
for name in graph raw_graph; do
    on 77 "a capture of a stream needs the simulator" "$work/$name.lua"
done

wait
failed=$(find "$work" -name '*.failed' | wc -l)
echo "$ran runs on driver nccl, $failed wrong"
((ran > 0 && failed == 0))
