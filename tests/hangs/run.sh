#!/usr/bin/env bash
# The findings in cases/, compared with expect.jsonl: one line per scenario and policy, the same for
# every seed. Correct look-alikes must pass without a finding. Of scenarios/bugs and their repaired
# twins tests/gallery sees to it.
#
# said.jsonl: what the text of a report has to say. Every rank that is blocked has a line in it.
#
# expect.jsonl: culprits are [rank, call, line], steps of a cycle [rank, comm, call, line, for], what
# culprits met prior to it [ranks, line], if anything. To look at a report in that form: ncclscript run --format json FILE | jq -c -f tests/hangs/report.jq
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
here=tests/hangs
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mapfile -t seeds < <(seq 0 $((${NCCLSCRIPT_SEEDS:-4} - 1)))

mapfile -t bugs < <(find $here/cases -name '*.lua' -not -path '*/fixed/*' | sort)
# avg_integers shows what averages of integers lose, and is told so in a note.
mapfile -t silent < <(find scenarios/basics scenarios/patterns scenarios/recovery $here/silent \
    $here/cases/fixed -name '*.lua' -not -name avg_integers.lua | sort)
compared=0 failed=0

reports() { # OUT POLICY SEED FILE...: a line for each, or for each case of a matrix
    local out=$1 policy=$2 seed=$3
    shift 3
    "$program" run --timeout 60s --format json --policy "$policy" --seed "$seed" "$@" \
        >"$work/json" 2>"$work/err" </dev/null
    cat "$work/err"
    local files
    jq -cS -f $here/report.jq "$work/json" >"$out" && files=$(jq -r .scenario "$out" | sort -u | wc -l) &&
        ((files == $#)) && return
    echo "policy $policy, seed $seed: reports of $files of $# scenarios"
    failed=$((failed + 1))
}

jq -cS . $here/expect.jsonl >"$work/expect" || exit 1
words() { # of the reports just made
    jq -cS '[.policy, .scenario, .name, [.findings[] | .why, .fix, .prior[].text]]' "$work/json" >>"$work/words"
}

for policy in strict typical; do
    jq -cS --arg policy $policy 'select(.policy == $policy)' "$work/expect" | sort >"$work/want"
    for seed in "${seeds[@]}"; do
        reports "$work/got" $policy "$seed" "${bugs[@]}"
        [[ $policy != strict || $seed != 0 ]] || cp "$work/json" "$work/first"
        words
        sort "$work/got" -o "$work/got"
        compared=$((compared + $(comm -12 "$work/want" "$work/got" | wc -l)))
        while read -r line; do
            file=$(jq -r .scenario <<<"$line")
            echo "$file: $policy policy, seed $seed: other findings than expected"
            jq -cS --arg file "$file" 'select(.scenario == $file)' "$work/want" |
                sed 's/^/  expected  /'
            echo "  got       $line"
            echo "  again     $program run -v --policy $policy --seed $seed $file"
            failed=$((failed + 1))
        done < <(comm -13 "$work/want" "$work/got")
        reports "$work/got" $policy "$seed" "${silent[@]}"
        compared=$((compared + $(wc -l <"$work/got")))
        while read -r line; do
            file=$(jq -r .scenario <<<"$line")
            echo "$file: $policy policy, seed $seed: nothing is wrong here, got"
            echo "  $line"
            echo "  again     $program run -v --policy $policy --seed $seed $file"
            failed=$((failed + 1))
        done < <(jq -c 'select(.verdict != "pass" or .findings != [])' "$work/got")
    done
done

# The report is the same for every seed.
while read -r line; do
    echo "said otherwise with another seed: $line"
    failed=$((failed + 1))
done < <(sort "$work/words" | uniq -c | awk -v seeds=${#seeds[@]} '$1 != seeds')

# Why and repair in words, where they are particular to the case.
while read -r line; do
    file=$here/cases/$(jq -r .scenario <<<"$line").lua
    grep -F "\"$file\"" "$work/first" |
        jq -r '.findings[] | .why, .fix, (.evidence, .otherwise, .tried | values), .prior[].text' >"$work/said"
    while read -r words; do
        compared=$((compared + 1))
        grep -qF -- "$words" "$work/said" && continue
        echo "$file: not said: $words"
        sed 's/^/  said  /' "$work/said"
        failed=$((failed + 1))
    done < <(jq -r '.says[]' <<<"$line")
done <$here/said.jsonl

# Everybody who is blocked is told of.
"$program" run -v --timeout 60s "${bugs[@]}" >"$work/text" 2>/dev/null </dev/null
jq -r 'select(.findings != []) |
        [.scenario + if .name then "[" + .name + "]" else "" end, (.findings[].blocked[] | tostring)] |
        join(" ")' "$work/first" >"$work/blocked"
compared=$((compared + $(wc -l <"$work/blocked")))
while read -r line; do
    echo "$line"
    failed=$((failed + 1))
done < <(awk -f $here/told.awk "$work/text" "$work/blocked")

# A line without its scenario would be compared with nothing.
while read -r file; do
    [[ -f $file ]] && continue
    echo "expect.jsonl: no such scenario: $file"
    failed=$((failed + 1))
done < <(jq -r .scenario "$work/expect" | sort -u)

echo "${#bugs[@]} with a bug, ${#silent[@]} without, $compared reports as expected, $failed failed"
((${#bugs[@]} > 0 && ${#silent[@]} > 0 && compared > 0 && failed == 0))
