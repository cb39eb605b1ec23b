#!/usr/bin/env bash
# `explain` knows every word that a report uses, and every code, function, variable and command that README and docs print.
# The words are gathered from the tables in src that print them: rules, verdicts, certainty, levels, the keys of the report
# for people and of JSON, kinds of waits, faults, edits and errors, reasons why a result is not verified, and the fields of
# an outcome.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# gather SOURCE LEAST WORD...: the words of one table, of which there are at least so many.
gather() {
    local source=$1 least=$2
    shift 2
    (($# >= least)) || { echo "only $# words of $source: $*"; failed=$((failed + 1)); }
    printf '%s\n' "$@" >>"$work/words"
}

table() { # FILE BEGIN PATTERN: the quoted words in the lines from BEGIN to the end of the table that match
    sed -n "/$2/,/^}/p" "$1" | grep -oE "$3" | grep -oE '"[a-zA-Z:_-]+"' | tr -d '"'
}

mapfile -t rules < <(ls src/diagnose/rules/*.c | sed 's|.*/||; s|\.c$||; y|_|-|'
    sed -n 's/^NCS_RULE_ROW([a-z_]*, "\([a-z-]*\)".*/\1/p' src/diagnose/rules/rows.def)
gather src/diagnose/rules 55 "${rules[@]}"
gather 'verdicts' 12 $(table src/run/verdict.c '^} verdicts' '\{ "[a-z]+"')
gather 'certainty' 4 $(table src/scenario/outcome.c '^const char .const ncs_certainty_names' '= "[a-z]+"')
gather 'patterns of wrong results' 8 $(table src/report/json.c '^static const char .const pattern_name' '= "[a-z]+"')
gather 'kinds of waits' 8 $(table src/report/json.c '^static const char .const via_name' '= "[a-z]+"')
gather 'levels' 2 $(grep -oE 'NCS_LEVEL_NOTE \? "[a-z]+" : "[a-z]+"' src/report/json.c | grep -oE '"[a-z]+"' | tr -d '"')
gather 'keys of the report for people' 10 \
    $(cat src/report/*.c | grep -oE 'ncs_text_keyed\([^,]*, [A-Z_]*, "[a-z]+"' | grep -oE '"[a-z]+"' | tr -d '"')
gather 'keys of a finding' 15 $(sed -n '/^static json_t \*finding(/,/^}/p' src/report/json.c |
    grep -oE '"[a-z_]+"' | tr -d '"')
gather 'kinds of edits' 6 $(table src/diagnose/words/edits.c '^static const char .const kinds' '= "[a-z]+"')
gather 'steps of hosts' 5 $(table src/report/json_repair.c 'static const char .const steps' '"[a-z:]+"')
gather 'faults' 7 $(sed -n 's/^NCS_FAULT([A-Z_]*, *\([a-z_]*\),.*/\1/p' src/api/faults.def)
gather 'kinds of errors' 8 $(grep -oE '\[NCS_KIND_[A-Z]*\] *= \{ "[a-z]*"' src/run/judge.c | grep -oE '"[a-z]*"' | tr -d '"')
gather 'reasons' 10 $(table src/api/unverified.c '^} reasons' '\{ "[a-z-]+"')
for of in outcome hang wrong finding; do
    gather "fields of $of" 4 $(sed -n "/^static const struct ncs_schema_field $of\[\] = {\$/,/^};/p" src/notation/schema.c |
        grep -oE '(ROW\(|\{ )"[a-z_]+"' | grep -oE '"[a-z_]+"' | tr -d '"')
done
gather 'policies' 2 $(grep 'const policies\[\]' src/notation/schema.c | grep -oE '"[a-z]+"' | tr -d '"')
# Roles and states of ranks stand in sentences, not in a table.
gather 'roles and states' 8 culprit bystander blocked waiting minority majority divergence cycle finished ended

gather 'commands' 15 help $(sed -n 's/^NCS_COMMAND(\([a-z]*\))$/\1/p' src/cli/commands.def)
gather 'variables that a scenario may set' 150 $(sed -n '/^static const char .const allowed/,/^}/p' src/api/environment.c |
    grep -oE '"(NCCL|CUDA)_[A-Z0-9_]+"' | tr -d '"')
gather 'weights of variables' 20 $(sed -nE 's/^NCS_WEIGHT\("(NCCL_[A-Z0-9_]+)",.*/\1/p' src/api/weight.def)
obeyed=$(grep -oE '(NUMBER|TEXT)\("[A-Z0-9_]+"|NEWER\([A-Z0-9_]+,|"NCCL_[A-Z0-9_]+"' src/sim/settings/environment.c |
    sed -E 's/.*[("]([A-Z0-9_]+)[",]$/\1/; s/^(NCCL_)?/NCCL_/' | grep -v '^NCCL_$' | sort -u)
gather 'variables that the simulator reads' 35 $obeyed
diff <(echo "$obeyed") <(sed -n 's/^@obeyed \([^:]*\):.*/\1/p' src/report/pages/variables.txt | sort) ||
    { echo "the pages of obeyed variables are not those that src/sim/settings/environment.c reads"; failed=$((failed + 1)); }

# What README and docs print: results, functions that the drop-in libraries export, variables, and errors by number.
texts=(README.md docs/*.md)
gather 'results in docs' 10 $(grep -ohE '\b(cudaError[A-Z][A-Za-z]+|nccl(Invalid|Remote|System|Internal|Unhandled)[A-Za-z]+|ncclInProgress)\b' \
    "${texts[@]}" | grep -vxE 'cudaErrorStreamCaptureX')
gather 'functions in docs' 60 $(grep -ohE '\b(nccl|cuda)[A-Z][A-Za-z0-9]+\b' "${texts[@]}" | sort -u |
    grep -xF -f <(cat tests/abi/exports/*.txt))
gather 'variables in docs' 20 $(grep -ohE '\bNCCL_[A-Z0-9_]*[A-Z0-9]\b' "${texts[@]}" | grep -vE '^NCCL_(VERSION|SPLIT|WIN_COLL|WIN_REQ|SHRINK_ABORT|REVOKE|SUSPEND|MAJOR|MINOR|PATCH)')
gather 'errors by number in docs' 1 $(grep -ohE '\berror [0-9]+\b|\breturned [1-9][0-9]*\b' "${texts[@]}" | grep -oE '[0-9]+')
# The first word of a report, and the words before its lines, where a transcript shows one.
gather 'words of transcripts' 8 $(awk '
    /^ *```/ { if (within && is) printf "%s", words; within = !within; is = 0; words = ""; next }
    within && match($0, /^(HANG|WRONG|ERROR|STALLED|PASS|FAIL|LOST|TIMEOUT|SKIPPED) /) { is = 1; words = words $1 "\n" }
    within && /^  [a-z]+ [^(=]/ && !/^  (rank|ranks|communicator|each|waits|local|end) / { words = words $1 "\n" }' "${texts[@]}")

sort -u "$work/words" >"$work/once"
# A process for each word: under AddressSanitizer all of them go through the same code, slowly.
[[ ${ASAN_OPTIONS:-} ]] && sed -i -n '1~10p' "$work/once"
while read -r word; do
    "$NCCLSCRIPT" explain "$word" >"$work/page" 2>&1 </dev/null && [[ -s $work/page ]] && continue
    echo "explain $word: $(head -n 1 "$work/page")"
    failed=$((failed + 1))
done <"$work/once"
echo "$(wc -l <"$work/once") words, $failed failed"
((failed == 0))
