#!/usr/bin/env bash
# Runs the transcripts tests/cli/*.t (or those given) against the binary in NCCLSCRIPT.
#
# A transcript is a list of commands with what they must do, and reads as it would on a terminal:
#   # comment
#   @ PROGRAM...         the whole file is left out where one of these is missing
#   $ COMMAND            run by bash in a scratch copy of tests/cli/files
#   > text               a line of standard output
#   ! text               a line of standard error
#   ? N                  the exit status; 0 when not given
# In a line <*> stands for any text; a line of ... for any number of lines.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$program" "$work/bin/ncclscript"
# ThreadSanitizer delays signals, and is slow: what has no threads it need not see.
[[ ${TSAN_OPTIONS:-} ]] || for tool in prompt-signals without-tsan; do ln -s /bin/true "$work/bin/$tool"; done
script -qec true /dev/null >/dev/null 2>&1 </dev/null && ln -s /bin/true "$work/bin/pseudo-terminals"
unset NO_COLOR CLICOLOR_FORCE "${!NCCL_@}"
export PATH="$work/bin:$PATH" TERM=xterm LC_ALL=C.UTF-8

ran=0 failed=0

# matches EXPECTED ACTUAL: files of lines
matches() {
    local -a want got
    mapfile -t want <"$1"
    mapfile -t got <"$2"
    local w=0 g=0 skipping=0 pattern
    while ((w < ${#want[@]})); do
        if [[ ${want[w]} == ... ]]; then
            skipping=1 w=$((w + 1))
            continue
        fi
        pattern=${want[w]//\\/\\\\}
        pattern=${pattern//'*'/\\*}
        pattern=${pattern//'?'/\\?}
        pattern=${pattern//'['/\\[}
        pattern=${pattern//'<\*>'/'*'}
        while ((skipping && g < ${#got[@]})) && [[ ${got[g]} != $pattern ]]; do
            g=$((g + 1))
        done
        ((g < ${#got[@]})) && [[ ${got[g]} == $pattern ]] || return 1
        skipping=0 w=$((w + 1)) g=$((g + 1))
    done
    ((skipping || g == ${#got[@]}))
}

complain() { # FILE:LINE WHAT EXPECTED ACTUAL
    printf '%s: %s: $ %s\n' "$1" "$2" "$command"
    diff -u --label expected --label got "$3" "$4"
    failed=$((failed + 1))
}

check() { # FILE: the command at hand, if there is one
    [[ -n $command ]] || return 0
    local place="$1:$line_of_command"
    (cd "$work/files" && exec bash -c "$command") >"$work/got.out" 2>"$work/got.err" </dev/null
    echo $? >"$work/got.status"
    echo "$status" >"$work/want.status"
    ran=$((ran + 1))
    if ! matches "$work/want.status" "$work/got.status"; then
        cat "$work/got.out" "$work/got.err"
        complain "$place" "exit status" "$work/want.status" "$work/got.status"
    elif ! matches "$work/want.out" "$work/got.out"; then
        complain "$place" "standard output" "$work/want.out" "$work/got.out"
    elif ! matches "$work/want.err" "$work/got.err"; then
        complain "$place" "standard error" "$work/want.err" "$work/got.err"
    fi
}

begin() { # COMMAND
    command=$1 status=0 line_of_command=$number
    : >"$work/want.out" >"$work/want.err"
}

transcript() { # FILE
    local line number=0 command='' status=0 line_of_command=0
    rm -rf "$work/files"
    cp -r "$here/files" "$work/files" && chmod -R u+w "$work/files"
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        case $line in
        '' | '#'*) ;;
        '@ '*)
            for tool in ${line#@ }; do
                command -v "$tool" >/dev/null && continue
                echo "$1: left out: there is no $tool"
                return
            done ;;
        '$ '*) check "$1"; begin "${line#\$ }" ;;
        '> '* | '>') line=${line#>}; printf '%s\n' "${line# }" >>"$work/want.out" ;;
        '! '* | '!') line=${line#!}; printf '%s\n' "${line# }" >>"$work/want.err" ;;
        '? '*) status=${line#\? } ;;
        *) echo "$1:$number: no such line in a transcript: $line"; failed=$((failed + 1)) ;;
        esac
    done <"$1"
    check "$1"
}

if (($# == 0)); then
    set -- "$here"/*.t
fi
for file in "$@"; do
    transcript "$file"
done
echo "$ran commands, $failed failed"
((ran > 0 && failed == 0))
