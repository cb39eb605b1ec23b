#!/usr/bin/env bash
# Attempts to leave the sandbox: scenarios that are run without --unsafe and must come to nothing. Each
# says in its first comment lines, behind -- or #, what has to happen:
#
#   status: 4            the exit status
#   prints: TEXT         what the output must have, fixed text; may be repeated
#   never: TEXT          what it must not have; may be repeated
#   command: check --plan    how the file is read; "run" if nothing is said. "repl" is given it as input
#   env: NAME=VALUE      a variable of the environment; may be repeated
#   link: NAME TARGET    a link beside the file. The file is run as a copy in a folder of its own: a link to a device in
#                        the tree would never end for those who walk it
#
# A report of a sanitizer fails whatever the file says.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99"

ran=0 failed=0

complain() { # FILE WHAT
    printf '%s: %s\n' "$1" "$2"
    sed 's/^/  | /' "$work/out" | head -n 20
    failed=$((failed + 1))
}

said() { # FILE KEY: the values of its comment lines "-- KEY: VALUE", up to the first other line
    sed -nE '/^(--|#)/!q; s/^(--|#) *'"$2"': ?//p' "$1"
}

attempt() { # FILE
    local file=$1 status want command link text
    local -a words env
    want=$(said "$file" status) command=$(said "$file" command) link=$(said "$file" link)
    mapfile -t env < <(said "$file" env)
    read -ra words <<<"${command:-run}"
    if [[ -z $want ]]; then
        : >"$work/out"
        complain "$file" "does not say its exit status"
        return
    fi
    if [[ -n $link ]]; then
        cp "$file" "$work" && ln -sf "${link#* }" "$work/${link%% *}" || complain "$file" "no link can be made"
        file=$work/$file
    fi
    if [[ ${words[0]} == repl ]]; then
        env ${env[@]+"${env[@]}"} timeout 120 "$program" "${words[@]}" <"$file" >"$work/out" 2>&1
    else
        env ${env[@]+"${env[@]}"} timeout 120 "$program" "${words[@]}" "$file" </dev/null >"$work/out" 2>&1
    fi
    status=$?
    ran=$((ran + 1))
    ((status == want)) || complain "$file" "exit status $status, expected $want"
    while IFS= read -r text; do
        grep -qF -- "$text" "$work/out" || complain "$file" "does not print: $text"
    done < <(said "$file" prints)
    while IFS= read -r text; do
        ! grep -qF -- "$text" "$work/out" || complain "$file" "prints: $text"
    done < <(said "$file" never)
    ! grep -qE 'Sanitizer|runtime error:' "$work/out" || complain "$file" "a sanitizer reports"
}

shopt -s nullglob
for file in [0-9]*.lua [0-9]*.yaml; do
    attempt "$file"
done
echo "$ran attempts to escape, $failed complaints"
((ran > 0 && failed == 0))
