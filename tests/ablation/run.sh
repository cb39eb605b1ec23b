#!/usr/bin/env bash
# What each part of the diagnosis is worth: the same programs with and without it. Parts are those of parts.def.
#
# NCCLSCRIPT_PARTS    names of parts, or several joined by commas, which are then off together (all, one at a time)
# NCCLSCRIPT_SOURCES  of random, training (tests/truth), dumps (of both), mutate, corpus (scenarios/bugs), hangs (tests/hangs);
#                     (random hangs)
# NCCLSCRIPT_PROGRAMS programs for each seed and generator (8)
# NCCLSCRIPT_SEEDS    numbers; seed N takes the programs from N * 100000 on (1)
# NCCLSCRIPT_MUTATE   a generator mutate/gen.py, of which the tree has no copy; without it, mutate is left out
# NCCLSCRIPT_KEEP     a folder for all judgements
#
# The table has for each part and source: in how many reports the first cause is another one, and for culprit, class and call
# (percent) and certain and wrong (a number) the figure with the part, what the part adds to it, and the spread of that: one
# standard deviation, from the programs that differ. A part is worth something where it adds twice the spread and more.
# As a test, this holds only that switching off works: a part that changes no report here is listed as idle.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
[[ ${TSAN_OPTIONS:-} ]] && { echo "left out: nothing of this has threads of the system"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
here=tests/ablation
plain=$(realpath "$NCCLSCRIPT") || exit 1
without=$(dirname "$plain")/tests/ablation/ncclscript_without
work=$(mktemp -d) || exit 1
trap '[[ ${NCCLSCRIPT_KEEP:-} ]] && cp -r "$work/judged" "$NCCLSCRIPT_KEEP"; rm -rf "$work"' EXIT
mapfile -t all < <(sed -n 's/^PART(\([a-z_]*\),.*/\1/p' $here/parts.def)
read -ra parts <<<"${NCCLSCRIPT_PARTS:-${all[*]}}"
read -ra sources <<<"${NCCLSCRIPT_SOURCES:-random hangs}"
read -ra seeds <<<"${NCCLSCRIPT_SEEDS:-1}"
programs=${NCCLSCRIPT_PROGRAMS:-8}
failed=0 idle=()

fail() {
    printf '%s\n' "$*"
    failed=$((failed + 1))
}

for family in random training; do
    [[ " ${sources[*]} " =~ \ ($family|dumps)\  ]] || continue
    mkdir -p "$work/$family"/{correct,mutant,dumps}
    for seed in "${seeds[@]}"; do
        "$plain" run -q --unsafe --set first="${seed}00000" --set count="$programs" --set out="$work/$family" \
            --set family=$family tests/truth/programs/write.lua >"$work/err" 2>&1 || fail "$family: $(cat "$work/err")"
        cat "$work/$family/truth" >>"$work/$family/truths"
    done
done

# Each source writes a line for each of its reports: name, the first cause, and where the truth is known culprit, class, call
# and sure (certain and wrong), each true, false or null; separated by tabs.
judge_truth() { # FAMILY: reads reports
    jq -nc --slurpfile truth "$work/$1/truths" -f tests/truth/judge.jq |
        jq -r '[.file, (.said | [.rule, .named, .certainty] | tojson), (.culprit, .class, null, .sure | tostring)] | @tsv'
}
first_causes() { # reads reports
    jq -r '[.findings[] | select(.level == "error")][0] as $f | [(.scenario | sub(".*/"; "")) + (.case | tojson) + (.name // ""),
        ([$f.rule, [$f.culprits[]?.rank], $f.certainty, $f.call] | tojson), "null", "null", "null", "null"] | @tsv'
}
run_programs() { # BINARY ARGUMENTS
    "$1" run --no-times --timeout 60s --format json -j 2 "${@:2}" 2>"$work/err" </dev/null
}
source_random() { run_programs "$1" "$work/random/mutant" | judge_truth random; }
source_training() { run_programs "$1" "$work/training/mutant" | judge_truth training; }
source_dumps() {
    local family folder
    for family in random training; do
        for folder in "$work/$family"/dumps/*; do
            "$1" diagnose --format json "$folder" 2>"$work/err" </dev/null
        done | judge_truth $family
    done
}
source_mutate() {
    local seed
    for seed in "${seeds[@]}"; do
        python3 $here/mutate.py "$NCCLSCRIPT_MUTATE" "$1" "${seed}00000" "$programs"
    done
}
source_corpus() { run_programs "$1" scenarios/bugs | first_causes; }
source_hangs() { run_programs "$1" tests/hangs/cases | first_causes; }

row() { # PART SOURCE
    local base=$work/judged/.$2 own=$work/judged/$1.$2
    NCCLSCRIPT_WITHOUT=$1 source_"$2" "$without" >"$own"
    awk -F '\t' -v part="$1" -v source="$2" -f $here/compare.awk "$base" "$own"
    cmp -s "$base" "$own" || works[$1]=1
    [[ -s $own ]] || fail "$2: no judgement without $1: $(head -n 1 "$work/err")"
}

mkdir "$work/judged"
declare -A works
printf '%-28s %-9s %8s %8s  %-16s %-16s %-16s %s\n' part source reports changed culprit class call 'certain and wrong'
for source in "${sources[@]}"; do
    [[ $source == mutate && -z ${NCCLSCRIPT_MUTATE:-} ]] && continue
    NCCLSCRIPT_WITHOUT='' source_"$source" "$without" >"$work/judged/.$source"
    [[ -s $work/judged/.$source ]] || fail "$source: no judgement: $(head -n 1 "$work/err")"
    for part in "${parts[@]}"; do
        row "$part" "$source"
    done
done
# The program that can be switched is the program, as long as nothing is off.
cmp -s <(source_hangs "$plain") <(source_hangs "$without") || fail "with all parts, $without reports otherwise than $plain"

for part in "${parts[@]}"; do
    [[ ${works[$part]:-} ]] || idle+=("$part")
done
echo "idle in these reports: ${idle[*]:-none}"
[[ ${works[*]} ]] || fail "no part changes any report: they are not switched off"
NCCLSCRIPT_WITHOUT=no-such-part "$without" --version >/dev/null 2>&1 && fail "a part that is none is accepted"
((failed == 0))
