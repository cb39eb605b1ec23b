#!/usr/bin/env bash
# once.sh [-s SECONDS] [-t TIME] [-j JOBS] [-p "PART..."] [BINARY [OUT [OPTION...]]]
#
# Compares the simulator with NCCL as far as one visit to a machine with a GPU allows. Needs BINARY (a portable build will
# do; default: NCCLSCRIPT), bash, a GPU, libnccl and libcudart; no network and no compiler. OUT gets 8 files: table.txt has
# the disagreements and what was not run, the others what each part printed.
#
#   -s  seconds for everything (default: 450). Each part gets its share of what is left
#   -t  time without progress after which a run on NCCL hangs (default: 5s)
#   -j  scenarios at a time (default: 6)
#   -p  parts: arguments scenarios record bench bugs reports (default: all)
#
# OPTION: --nccl-lib PATH and --cudart-lib PATH, as of `run`. Exit status: 0 nothing disagrees, 1 something does or a part
# compared nothing, 2 bad usage, 77 no real runs here.
set -u
seconds=450 patience=5s jobs=6 parts="arguments scenarios record bench bugs reports"
while getopts s:t:j:p: option; do
    case $option in
    s) seconds=$OPTARG ;;
    t) patience=$OPTARG ;;
    j) jobs=$OPTARG ;;
    p) parts=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
work=$(mktemp -d) || exit 2
recorded= # a process that only a signal ends
trap '[[ $recorded ]] && kill -KILL "$recorded" 2>/dev/null; rm -rf "$work"' EXIT
program=${1:-${NCCLSCRIPT:?the path of the binary}} out=${2:-$work/out}
program=$(realpath "$program") && mkdir -p "$out" && out=$(realpath "$out") || exit 2
libraries=("${@:3}")
cd "$(dirname "$0")/../.." || exit 2
real=(--driver nccl "${libraries[@]}")
export NCCL_MULTI_RANK_GPU_ENABLE=1 NCCLSCRIPT_QUIET=1
for name in table doctor arguments scenarios record bench reports errors; do : >"$out/$name.txt"; done
: >"$work/rows" >"$work/disagree" >"$work/skipped" >"$work/left" >"$work/agree"

# ---- the time that is left ----

# A part's weight. Time that a part does not need goes to those behind it.
declare -A weight=([arguments]=10 [scenarios]=30 [record]=6 [bench]=14 [bugs]=30 [reports]=10)
part= deadline=0
left() { echo $((deadline - SECONDS)); }
is_over() { (($(left) <= 0)); }
begin() { # PART: its deadline, by the weights of the parts that are still to come
    local other all=0 seen=0
    part=$1 begun=$SECONDS
    for other in $parts; do
        [[ $other == "$part" ]] && seen=1
        ((seen)) && all=$((all + weight[$other]))
    done
    deadline=$((SECONDS + (seconds - SECONDS) * weight[$part] / all))
}
limited() { # MOST COMMAND...: ends the command after MOST seconds, or when the part's time is over
    local most=$1 rest
    shift
    rest=$(left)
    timeout -k 3 $((rest < 1 ? 1 : rest < most ? rest : most)) "$@"
}

# ---- what came out ----

agrees() { printf '%s\t%s\n' "$part" "$1" >>"$work/agree"; }
disagrees() { printf '%s\t%s\n' "$part" "$1" >>"$work/disagree"; }
skipped() { printf '%s\t%s\n' "$part" "$1" >>"$work/skipped"; }
not_run() { printf '%s\t%s\n' "$part" "$1" >>"$work/left"; }
count() { grep -c "^$part	" "$work/$1"; }
finish() {
    printf '%-10s %7d %9d %8d %8d %8d\n' "$part" "$(count agree)" "$(count disagree)" "$(count skipped)" \
        "$(count left)" $((SECONDS - begun)) >>"$work/rows"
}

# ---- doctor ----

timeout 60 "$program" doctor "${libraries[@]}" >"$out/doctor.txt" 2>>"$out/errors.txt"
timeout 60 "$program" doctor --format json "${libraries[@]}" >"$work/doctor" 2>>"$out/errors.txt"
if ! grep -q '"real_runs": true' "$work/doctor"; then
    tee "$out/table.txt" <"$out/doctor.txt"
    exit 77
fi
gpus=$(grep -o '"gpus": [0-9]*' "$work/doctor" | grep -o '[0-9]*')
profile=$(grep -o '"profile": "[0-9.]*"' "$work/doctor" | grep -o '[0-9][0-9.]*')
version=${profile:+--nccl-version $profile}
# From 2.30.3 on ranks can share a GPU.
ranks=$gpus
[[ $(printf '%s\n' 2.30.3 "${profile:-0}" | sort -V | head -n 1) == 2.30.3 ]] && ranks=$((gpus < 2 ? 2 : gpus))

# ---- arguments: one process on each side; on NCCL another one behind a case that ended it ----

arguments() {
    local first=1 last try status
    # shellcheck disable=SC2086
    limited 60 "$program" run $version tests/gpu/arguments.lua >"$work/sim" 2>>"$out/errors.txt"
    : >"$work/nccl"
    for try in {1..20}; do
        is_over && break
        limited 60 "$program" run "${real[@]}" --timeout "$patience" --set first="$first" tests/gpu/arguments.lua \
            >"$work/some" 2>>"$out/errors.txt" </dev/null
        status=$?
        cat "$work/some" >>"$work/nccl"
        grep -q '^\[0\] 0 done' "$work/some" && break
        last=$(sed -n 's/^\[0\] \([0-9]*\) at .*/\1/p' "$work/some" | tail -n 1)
        [[ $last ]] || break
        grep -q "^\[0\] $last got" "$work/some" || is_over ||
            echo "[0] $last got no answer: the program ended with status $status" >>"$work/nccl"
        first=$((last + 1))
    done
    awk 'FNR == 1 { side++ }
         $1 != "[0]" || $2 == 0 { next }
         { text = $0; sub(/^\[0\] [0-9]+ (at|got) /, "", text) }
         $3 == "at" { name[$2] = text; most = $2 > most ? $2 : most }
         $3 == "got" && side == 1 { sim[$2] = text }
         $3 == "got" && side == 2 { nccl[$2] = text }
         END {
             for (i = 1; i <= most; i++)
                 print (!(i in sim) || !(i in nccl) ? "left" : sim[i] == nccl[i] ? "agree" : "disagree") "\t" name[i] \
                     ": sim " (i in sim ? sim[i] : "-") ", NCCL " (i in nccl ? nccl[i] : "-")
         }' "$work/sim" "$work/nccl" >"$out/arguments.txt"
    while IFS=$'\t' read -r kind text; do
        case $kind in
        agree) agrees "$text" ;;
        disagree) disagrees "$text" ;;
        *) not_run "${text%%: sim *}" ;;
        esac
    done <"$out/arguments.txt"
    [[ -s $out/arguments.txt ]] || not_run "all of it: $(tail -n 1 "$out/errors.txt")"
}

# ---- scenarios: each on both sides, in a process of its own ----

one_scenario() { # NUMBER CASE
    local got
    limited 60 "$program" compare -v --timeout "$patience" "${libraries[@]}" "$2" >"$work/out.$1" 2>"$work/err.$1" </dev/null
    got=$?
    if ((got == 124 || got == 137)) && ! is_over; then
        echo "DIFFERS  $2"$'\n'"  it was ended after 60 s" >"$work/out.$1"
    elif ((got != 0 && got != 1 && got != 77 && got != 124 && got != 137)); then
        echo "DIFFERS  $2"$'\n'"  compare ended with status $got" >"$work/out.$1"
    fi
}
all_of() { # CASE...: as many at a time as -j says
    local i case running=0 cases=("$@") word
    for i in "${!cases[@]}"; do
        is_over && break
        ((running++ < jobs)) || wait -n
        one_scenario "$i" "${cases[i]}" &
    done
    wait
    for i in "${!cases[@]}"; do
        case=${cases[i]}
        word=$(head -n 1 "$work/out.$i" 2>/dev/null)
        case $word in
        SAME*) agrees "$case" ;;
        DIFFERS*)
            disagrees "$case:$(sed -n '2,/^[0-9]* scenario/p' "$work/out.$i" | grep '^  ' | head -n 3 | tr '\n' ';' | tr -s ' ')"
            echo "$case" >>"$work/differ"
            ;;
        SKIPPED*) skipped "${word#*: }" ;;
        *) not_run "$case" ;;
        esac
        cat "$work/out.$i" >>"$out/scenarios.txt" 2>/dev/null
        cat "$work/err.$i" >>"$out/errors.txt" 2>/dev/null
        rm -f "$work/out.$i" "$work/err.$i"
    done
}
# The first case of each scenario, for each number of ranks if there is a second argument.
cases_of() { # FOLDERS [ranks]
    # shellcheck disable=SC2086
    "$program" run --list $1 | awk -v ranks="${2:-}" '{
        key = $0
        sub(/\[.*/, "", key)
        if (ranks && match($0, /\[ranks=[0-9]+/)) key = key substr($0, RSTART, RLENGTH)
        if (!seen[key]++) print
    }'
}
scenarios() {
    mapfile -t cases < <(cases_of "scenarios/basics scenarios/patterns scenarios/workloads" ranks)
    all_of "${cases[@]}"
}
bugs() {
    mapfile -t cases < <(cases_of scenarios/bugs)
    all_of "${cases[@]}"
}

# ---- record: NCCL's own calls of its functions do not count, and the cause of a hang is found ----

recorder=$(dirname "$program")/lib/ncclscript/libncclscript-record.so
[[ -e $recorder ]] || recorder=$(dirname "$program")/../lib/ncclscript/libncclscript-record.so
record() {
    local tries
    [[ -e $recorder ]] || { not_run "there is no libncclscript-record.so beside the program"; return; }
    printf '%s\n' 'scenario { ranks = 1 }' 'local x = cuda.buffer("float32", 64):fill(1)' 'local all = nccl.init_all { 0 }' \
        'all[1]:all_reduce(x)' 'world:all_reduce(x)' 'C.check(C.ncclBcast(x, 64, C.ncclFloat32, 0, world, stream))' \
        'stream:sync()' 'all[1]:destroy()' >"$work/calls.lua"
    limited 60 "$program" record -o "$work/calls" -- "$program" run "${real[@]}" "$work/calls.lua" >>"$out/record.txt" 2>&1
    "$program" diagnose "$work/calls" >"$work/said" 2>&1
    cat "$work/said" >>"$out/record.txt"
    if grep -q 'nothing wrong found in 3 calls' "$work/said"; then
        agrees "3 calls"
    else
        disagrees "3 calls were made; diagnose: $(head -n 1 "$work/said")"
    fi
    ((ranks > 1)) || { not_run "a hang: NCCL allows only one rank here"; return; }
    printf '%s\n' 'scenario { ranks = 2 }' 'local x = cuda.buffer("float32", 64):fill(1)' 'world:all_reduce(x)' 'stream:sync()' \
        'if rank == 0 then world:all_reduce(x) end' 'stream:sync()' >"$work/hang.lua"
    # The run waits longer than this script, and is killed as a job would be. record becomes the run.
    "$program" record -o "$work/hang" -- "$program" run "${real[@]}" --timeout 10m "$work/hang.lua" \
        >>"$out/record.txt" 2>&1 </dev/null &
    recorded=$!
    for ((tries = 0; tries < 60; tries++)); do
        sleep 0.5
        "$program" diagnose "$work/hang" >"$work/said" 2>&1
        grep -q 'rank 1 .*never made call 2' "$work/said" && break
        is_over && break
    done
    kill -KILL "$recorded" 2>/dev/null
    wait "$recorded" 2>/dev/null
    recorded=
    "$program" diagnose "$work/hang" >"$work/said" 2>&1
    cat "$work/said" >>"$out/record.txt"
    if grep -q 'rank 1 .*never made call 2' "$work/said"; then
        agrees "a hang"
    elif is_over; then
        not_run "a hang"
    else
        disagrees "a hang in call 2 of rank 0; diagnose: $(head -n 1 "$work/said")"
    fi
}

# ---- bench: every type and operator is right; how long large calls take ----

bench() {
    local name got common=("${real[@]}" -g "$ranks")
    for name in all_reduce reduce reduce_scatter broadcast all_gather alltoall gather scatter sendrecv; do
        limited 60 "$program" bench "${common[@]}" -b 4096 -e 4096 -n 1 -w 0 -d all -o all "$name" >"$work/said" 2>&1
        got=$?
        cat "$work/said" >>"$out/bench.txt"
        if ((got == 0)); then
            agrees "$name in all types"
        elif is_over; then
            not_run "$name in all types"
        elif ((got == 77)); then
            skipped "$(tail -n 1 "$work/said")"
        else
            disagrees "$name in all types: $(grep -E 'Out of bounds|ncclscript' "$work/said" | head -n 1), status $got"
        fi
    done
    is_over && { not_run "times"; return; }
    limited 60 "$program" bench "${common[@]}" -b 1K -e 64M -f 16 -n 5 all_reduce >>"$out/bench.txt" 2>&1 &&
        agrees "times of all_reduce" || not_run "times of all_reduce"
}

# ---- reports of both sides, where they differ ----

reports() {
    [[ -e $work/differ ]] || return
    while read -r case; do
        is_over && { not_run "$case"; continue; }
        {
            echo "==== $case"
            # shellcheck disable=SC2086
            limited 20 "$program" run -v $version "$case"
            limited 30 "$program" run -v "${real[@]}" --timeout "$patience" "$case"
        } >>"$out/reports.txt" 2>&1 </dev/null
        agrees "$case"
    done <"$work/differ"
}

for name in $parts; do
    [[ ${weight[$name]:-} ]] || { echo "once.sh: there is no part $name" >&2; exit 2; }
done
for name in $parts; do
    begin "$name"
    "$name"
    finish
done

# ---- the table ----

section() { # TITLE FILE
    [[ -s $work/$2 ]] || return
    printf '\n%s\n' "$1"
    sed 's/^\([a-z]*\)\t/  \1  /' "$work/$2"
}
{
    grep -E '^(NCCL|CUDA|driver|GPUs) |^ +[0-9]+: ' "$out/doctor.txt"
    echo "simulator   as NCCL ${profile:-the newest}; up to $ranks ranks in bench and record; $("$program" --version | head -n 1)"
    printf '\n%-10s %7s %9s %8s %8s %8s\n' part agree disagree skipped 'not run' seconds
    cat "$work/rows"
    section "Disagreements" disagree
    if [[ -s $work/skipped ]]; then
        printf '\nSkipped\n'
        sort "$work/skipped" | uniq -c | sed 's/\t/  /'
    fi
    section "Not run" left
} >"$out/table.txt"
cat "$out/table.txt"
# Whatever a part was for, it must have compared something.
for name in $parts; do
    [[ $name == reports ]] || grep -q "^$name	" "$work/agree" || exit 1
done
[[ ! -s $work/disagree ]]
