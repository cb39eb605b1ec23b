#!/usr/bin/env bash
# Rules of the tree that no compiler holds: which room may include which, who may end the process,
# and words that have no place in it. Prints file:line: rule for each breach and fails.
# usage: check.sh [ROOT]
set -u
root=${1:-.}
cd "$root" || exit 2

# Each room, a folder of src/, may include itself and the rooms in its line. A wing is a folder in a room with a line of its
# own; folders without one (gen, rules) are part of their room. A room may include its wings, except those
# whose line names the room. Who may include another room may include its wings too; a wing needs each wing of its
# own room by name.
declare -A may=(
    [base]=""
    [api]="base"
    [team]="base"
    [notation]="base api"
    [notation/yaml]="base"
    [notation/lint]="base"
    [sim]="base api"
    [sim/kernel]="base api"
    [sim/settings]="base api sim/kernel"
    [sim/data]="base api sim/kernel sim/settings"
    [sim/cuda]="base api sim/kernel sim/settings sim/data"
    [sim/comm]="base api sim/kernel sim/settings sim/data sim/cuda"
    [sim/nccl]="base api sim/kernel sim/settings sim/data sim/cuda sim/comm"
    [shim]="base api sim"
    [shim/record]="base api"
    [shim/exec]="base api sim shim driver verify words diagnose run scenario report reproduce"
    [driver]="base api team"
    [verify]="base api"
    [words]="base api"
    [diagnose]="base api words"
    [diagnose/hazard]="base api"
    [diagnose/ledger]="base api"
    [diagnose/graph]="base api words diagnose"
    [diagnose/evidence]="base api words diagnose"
    [diagnose/course]="base api words diagnose diagnose/hazard"
    [diagnose/rules]="base api words diagnose diagnose/hazard diagnose/ledger diagnose/course"
    [diagnose/repair]="base api words diagnose diagnose/rules"
    [diagnose/explanation]="base api words diagnose diagnose/rules diagnose/course"
    [diagnose/rehearsal]="base api words diagnose diagnose/course"
    [diagnose/words]="base api words diagnose diagnose/rules diagnose/course"
    [lib]="base api run scenario script report"
    [trace]="base api"
    [reproduce]="base api driver verify diagnose run scenario"
    [run]="base api driver verify words diagnose trace"
    [run/timeline]="base api"
    [bench]="base api driver verify diagnose run"
    [scenario]="base api driver verify diagnose run"
    [script]="base api notation driver verify diagnose run scenario"
    [report]="base api driver verify words diagnose run scenario"
    [report/dump]="base api run run/timeline"
    [prompt]="base notation/lint api diagnose run scenario script report"
    [cli]="base team api notation trace driver verify diagnose run bench scenario script report prompt reproduce"
    [include]=""
)
sources=$(find src include -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.def' \) 2>/dev/null |
    LC_ALL=C sort)
[ -n "$sources" ] || { echo "check.sh: no sources under $PWD" >&2; exit 2; }
breaches=0

breach() {
    printf '%s\n' "$1"
    breaches=$((breaches + 1))
}

# room PATH: the room, or the wing with a line of its own, that a path below src/ belongs to, in `at`.
room() {
    at=${1%/*}
    while [ -z "${may[$at]+known}" ] && [ "$at" != "${at%/*}" ]; do
        at=${at%/*}
    done
}

include_direction() {
    local file line name from to
    while IFS=: read -r file line name; do
        # Installed headers include each other by their place: a program has one -I, of the folder that it uses.
        [[ $file == include/* && ${name#../} != */* && -f ${file%/*}/$name ]] && continue
        if [[ $file == include/* ]]; then from=include; else room "${file#src/}" && from=$at; fi
        if [ "${name%%/*}" = "$name" ]; then
            breach "$file:$line: \"$name\": an include path is \"room/file.h\""
            continue
        fi
        room "$name" && to=$at
        if [ "$to" = ncclscript ] || [ "$to" = "$from" ]; then
            :
        elif [ "${to%/*}" = "$from" ] && [[ " ${may[$to]} " != *" $from "* ]]; then
            : # a wing that does not use its room
        elif [ -z "${may[$from]+known}" ]; then
            breach "$file:$line: room $from is not in the table of tests/arrows/check.sh"
        elif [[ " ${may[$from]} " != *" $to "* &&
            ( ${from%%/*} == "${to%%/*}" || " ${may[$from]} " != *" ${to%%/*} "* ) ]]; then
            breach "$file:$line: \"$name\": $from may include only: ${may[$from]:-no other room}"
        fi
    done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' $sources |
        sed -E 's/^([^:]*:[0-9]*):[^"]*"([^"]*)".*/\1:\2/')
}

# The code without comments and without the insides of texts, line by line.
bare() {
    awk '
        function bare(s,    out, c, two, i) {
            out = ""
            for (i = 1; i <= length(s); i++) {
                c = substr(s, i, 1); two = substr(s, i, 2)
                if (comment) {
                    if (two == "*/") { comment = 0; i++ }
                } else if (quote != "") {
                    if (c == "\\") i++
                    else if (c == quote) { quote = ""; out = out c }
                } else if (two == "/*") { comment = 1; i++; out = out " " }
                else if (two == "//") break
                else { out = out c; if (c == "\"" || c == "\047") quote = c }
            }
            quote = ""
            return out
        }
        FNR == 1 { comment = 0 }
        { print FILENAME ":" FNR ":" bare($0) }' "$@"
}

process_ends_above_only() {
    local hit
    while IFS= read -r hit; do
        case $hit in
            src/cli/* | src/shim/exec/* | src/base/mem.c:*" _exit("*) continue ;;
        esac
        breach "${hit%:*}: only room cli and shim/exec may end the process"
    done < <(bare $sources |
        grep -E '(^|[^A-Za-z0-9_.>])(abort|exit|_exit|_Exit|quick_exit) *\(' |
        sed -E 's/^([^:]*:[0-9]*):.*[^A-Za-z0-9_.>]((abort|_?_?[eE]xit|quick_exit) *\().*/\1: \2/')
}

# Spelt with brackets, so that this file does not name what it looks for.
words='\<(T[O]DO|F[I]XME|X[X]X|H[A]CK)\>|not (yet )?im[p]lemented|/w[o]rk/|/f[a]rm/|bash_j[o]bs|\.libr[a]ry/|workp[l]ace'

banned_words() {
    local hit
    while IFS= read -r hit; do
        breach "$(cut -d: -f1,2 <<<"$hit"): a word that has no place here: $(cut -d: -f3- <<<"$hit")"
    done < <(find . \( -path ./.git -o -path ./build -o -name LICENSE \) -prune -o -type f -print0 |
        LC_ALL=C sort -z | xargs -0 grep -nHoIE "$words" | sed 's,^\./,,')
}

# What a comment cites is there: "sim/README.md, rule 5", "rules 5 and 7", "invariant 9".
citations() {
    local file readme number kind
    while read -r file readme kind number; do
        if [ ! -f "src/${readme#src/}" ]; then
            breach "$file: cites $readme, which is not there"
        elif ! sed -n "/^## ${kind}s\$/,/^## /p" "src/${readme#src/}" | sed -n "s/^\([0-9]*\)\. .*/\1/p" | grep -qx "$number"; then
            breach "$file: cites $readme, ${kind,} $number, which is not there"
        fi
    done < <(grep -lF README.md $sources src/*/README.md 2>/dev/null | while read -r file; do
        tr -d '`' <"$file" | tr '\n' ' ' | sed -E 's, +\* , ,g; s, +, ,g' |
            grep -oE '([a-z]+/)*README\.md, (Rule|rule|invariant)s? [0-9]+( and [0-9]+)*' |
            sed -E 's/,//; s/(rule|invariant)s? /\u\1 /; s/ and / /g' |
            while read -r readme kind numbers; do
                for number in $numbers; do echo "$file $readme $kind $number"; done
            done
    done)
}

# Files and names in backticks in the README of a room, and on pages about decisions, are there. Names that a pattern stands for are not looked up.
readme_names() {
    local readme name
    while read -r readme name; do
        case $name in
            */) [ -d "${readme%/*}/$name" ] || [ -d "src/$name" ] || breach "$readme: no folder $name" ;;
            *.c | *.h | *.def | *.inc | *.md | *.sh | *.lua)
                grep -qE "(^|/)${name#src/}\$" <<<"$all" || breach "$readme: no file $name" ;;
            *) grep -qwF -- "$name" $sources src/api/*.lua || breach "$readme: no name $name in the sources" ;;
        esac
    done < <(grep -oHE '`[a-z][A-Za-z0-9_/]*(/|\.(c|h|def|inc|md|sh|lua)|_[A-Za-z0-9_]*)`' src/*/README.md docs/decisions/*.md 2>/dev/null |
        tr -d '`' | sed 's/:/ /' | sort -u)
}

all=$(find . \( -path ./.git -o -path ./build \) -prune -o -type f -print)
include_direction
process_ends_above_only
banned_words
citations
readme_names
[ "$breaches" -eq 0 ] || { echo "$breaches breaches" >&2; exit 1; }
echo "$(wc -l <<<"$sources") files keep the rules"
