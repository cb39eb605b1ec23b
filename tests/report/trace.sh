#!/usr/bin/env bash
# Traces: of scenarios of every kind each is what a trace has to be (trace.py), has every call, and is
# the same bytes whatever ranks are, and again. Who is waited for is in those of hangs.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=$((failed + 1)); }

# trace FILE CASE OPTION...: into $work/FILE; says how many calls JSON counts.
trace() {
    local file=$1 case=$2
    shift 2
    "$program" run --format json --no-times --timeout 120s --trace "$work/$file" "$@" "$case" \
        2>"$work/err" </dev/null | jq -r .calls
    [ -s "$work/$file" ] || { echo "$case $*: no trace" >&2; cat "$work/err" >&2; }
}

# All of the small kinds, every third of the bugs.
mapfile -t files < <({ find scenarios -path scenarios/bugs -prune -o \( -name '*.lua' -o -name '*.yaml' \) -print
                       find scenarios/bugs -name '*.lua' | LC_ALL=C sort | awk 'NR % 3 == 1'; } | LC_ALL=C sort)
mapfile -t cases < <("$program" run --list "${files[@]}" | awk -F'[' '!seen[$1]++')
[ ${#cases[@]} -ge 100 ] || complain "only ${#cases[@]} cases"
arguments=()
for i in "${!cases[@]}"; do
    calls=$(trace "$i.json" "${cases[$i]}")
    arguments+=("$work/$i.json" "$calls")
    trace again "${cases[$i]}" --ranks-as thread >/dev/null
    cmp "$work/$i.json" "$work/again" || complain "${cases[$i]}: not the same of threads"
done
python3 tests/report/trace.py "${arguments[@]}" || complain "not what a trace has to be"

# Under a seed, under the other policy.
lucky=$("$program" run --list scenarios/bugs/p2p/exchange_lucky.lua | head -n 1)
for options in "--seed 7" "--policy typical" "--seed 3 --ranks-as thread"; do
    # shellcheck disable=SC2086
    calls=$(trace seed.json "$lucky" $options)
    # shellcheck disable=SC2086
    trace again "$lucky" $options >/dev/null
    cmp "$work/seed.json" "$work/again" || complain "$options: not the same again"
    python3 tests/report/trace.py "$work/seed.json" "$calls" || complain "$options"
done

# The contents of a trace that was checked by hand: rank 2 leaves out the last call.
cat >"$work/skip.lua" <<'LUA'
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x, { op = "max", label = "first" })
if rank ~= 2 then world:all_reduce(x) end
stream:sync()
LUA
trace skip.json "$work/skip.lua" >/dev/null
says() { # WANT FILTER: what jq makes of the trace
    local got
    got=$(jq -c ".traceEvents | $2" "$work/skip.json")
    [ "$got" = "$1" ] || complain "$2: $got instead of $1"
}
says '["AllReduce","world",1,8,"float32","max",3,"first"]' \
     'map(select(.cat == "device" and .args.label == "first"))[0] | [.name] + [.args | .comm, .call, .count, .dtype, .op, .line, .label]'
says '[[0,"cudaStreamSynchronize"],[1,"cudaStreamSynchronize"],[3,"cudaStreamSynchronize"]]' \
     'map(select(.ph == "B" and .cat == "call") | [.pid, .name])'
says '[[0,"AllReduce"],[1,"AllReduce"],[3,"AllReduce"]]' \
     'map(select(.ph == "B" and .cat == "device") | [.pid, .name])'
says '[[0,2],[1,2],[3,2]]' \
     'map(select(.cat == "wait" and (.ph == "s" or .ph == "f"))) | group_by(.id) | map(map(.pid))'
says '3' 'map(select(.cat == "match" and .ph == "s")) | length'
says '["rank 0","rank 1","rank 2","rank 3"]' 'map(select(.name == "process_name").args.name)'
says '["main","legacy stream","stream 1"]' \
     'map(select(.name == "thread_name" and .pid == 0).args.name)'

# Puts and signals, sends and receives, all-to-all: each that took something knows from whom.
cat >"$work/skip.lua" <<'LUA'
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
if rank == 0 then world:send(x, 1) else world:recv(y, 0) end
world:all_to_all(x, y)
stream:sync()
fault.slow { seconds = 0.001 }
LUA
trace skip.json "$work/skip.lua" >/dev/null
says '[[0,1,"send to receive"]]' \
     'map(select(.name == "send to receive")) | group_by(.id) | map([.[0].pid, .[1].pid, .[0].name])'
says '2' 'map(select(.name == "last to come" and .ph == "f")) | length'
says '[["fault.slow",0,6],["fault.slow",1,6]]' 'map(select(.ph == "i") | [.name, .pid, .args.line])'
echo "${#cases[@]} cases traced twice"
exit $((failed > 0))
