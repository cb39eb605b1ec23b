#!/usr/bin/env bash
# `explain` knows every word that a report uses. The words are gathered from the tables in src that print them: rules,
# verdicts, certainty, levels, the keys of the report for people and of JSON, kinds of waits, faults, edits and errors,
# reasons why a result is not verified, and the fields of an outcome.
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
gather 'kinds of errors' 5 $(sed -n 's/^ *\[NCS_KIND_[A-Z]*\] *= { "\([a-z]*\)".*/\1/p' src/run/judge.c)
gather 'reasons' 10 $(table src/api/unverified.c '^} reasons' '\{ "[a-z-]+"')
for of in outcome hang wrong finding; do
    gather "fields of $of" 4 $(sed -n "/^static const struct ncs_schema_field $of\[\] = {\$/,/^};/p" src/notation/schema.c |
        grep -oE '(ROW\(|\{ )"[a-z_]+"' | grep -oE '"[a-z_]+"' | tr -d '"')
done
gather 'policies' 2 $(grep 'const policies\[\]' src/notation/schema.c | grep -oE '"[a-z]+"' | tr -d '"')
# Roles and states of ranks stand in sentences, not in a table.
gather 'roles and states' 8 culprit bystander blocked waiting minority majority divergence cycle finished ended

sort -u "$work/words" >"$work/once"
while read -r word; do
    "$NCCLSCRIPT" explain "$word" >"$work/page" 2>&1 </dev/null && [[ -s $work/page ]] && continue
    echo "explain $word: $(head -n 1 "$work/page")"
    failed=$((failed + 1))
done <"$work/once"
echo "$(wc -l <"$work/once") words, $failed failed"
((failed == 0))
