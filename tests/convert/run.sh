#!/usr/bin/env bash
# The translation of every YAML scenario of the gallery must end as the scenario does: the same verdict
# as declared, results verified, values and trace hash.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() { # WHAT, and the command that shows it
    printf '%s\n  again: %s\n' "$1" "$2"
    failed=$((failed + 1))
}

mapfile -t files < <(find scenarios -name '*.yaml' -o -name '*.yml' | LC_ALL=C sort)
for file in "${files[@]}"; do
    lua=$work/${file%.y*ml}.lua
    mkdir -p "$(dirname "$lua")"
    "$program" convert "$file" -o "$lua" 2>"$work/err" && [[ ! -s $work/err ]] ||
        fail "$file: does not convert: $(head -n 3 "$work/err")" "$program convert $file"
done
((${#files[@]} > 0)) || { echo "there is no YAML scenario in $PWD/scenarios"; exit 1; }

# reports OUT FOLDER: of all files, in one process
facts='[.scenario, .case, .verdict, .as_expected, .checked, .unchecked, .expectations, .calls, .trace,
       .output, [.wrong[] | del(.line)]]'
some=("" "--policy typical" "--seed 3")
[[ ${ASAN_OPTIONS:-} ]] && some=("") # the same code has gone through all of them as YAML
for options in "${some[@]}"; do
    # shellcheck disable=SC2086 # options are words
    "$program" run --timeout 60s $options --format json "${files[@]}" </dev/null |
        jq -c "$facts" | sed 's/\.ya\{0,1\}ml"/"/' >"$work/yaml"
    # shellcheck disable=SC2086
    (cd "$work" && "$program" run --timeout 60s $options --format json "${files[@]/%.y*ml/.lua}" </dev/null) |
        jq -c "$facts" | sed 's/\.lua"/"/' >"$work/lua"
    (($(wc -l <"$work/yaml") >= ${#files[@]})) ||
        fail "there are fewer reports than scenarios" "$program run $options ${files[*]}"
    diff -u --label YAML --label 'converted to Lua' "$work/yaml" "$work/lua" ||
        fail "they differ with options '$options'" "$program convert FILE"
done
echo "${#files[@]} scenarios converted, $failed complaints"
((failed == 0))
