#!/usr/bin/env bash
# Every scenario here is written twice, NAME.yaml and NAME.lua: both must do the same, call for call,
# under both policies and several seeds; and so must what `convert` makes of the first. Compared are
# the reports for machines, with their trace hash, but for the lines.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")" || exit 1
ran=0 failed=0

same='del(.wall_ns) | .scenario |= sub("\\.(lua|yaml)$"; "") | walk(
    if type == "object" then del(.line, .column, .file)
    elif type == "string" then
        if startswith("stack traceback:") then "a traceback"
        else gsub("[a-z_]+\\.(lua|yaml):([0-9]+:)?"; "") | gsub("lines? [0-9]+"; "line") end
    else . end)'

# report KIND FOLDER OPTION...: of the files of a folder and kind, in one process
report() {
    local kind=$1 folder=$2
    shift 2
    (cd "$folder" && "$program" run --timeout 60s --format json "$@" -- *."$kind") \
        </dev/null 2>"$work/err" | jq -S "$same"
    [[ ! -s $work/err ]] || cat "$work/err"
}

mkdir "$work/converted"
for yaml in *.yaml; do
    "$program" convert "$yaml" -o "$work/converted/${yaml%.yaml}.lua" || failed=$((failed + 1))
done
diff <(basename -as .yaml -- *.yaml) <(basename -as .lua -- *.lua) || { echo "not twins"; exit 1; }

for policy in strict typical; do
    for seed in 0 1 7; do
        options="--policy $policy --seed $seed"
        # shellcheck disable=SC2086 # options are words
        report yaml . $options >"$work/yaml"
        for folder in . "$work/converted"; do
            # shellcheck disable=SC2086
            report lua "$folder" $options >"$work/lua"
            ran=$((ran + $(grep -c '"verdict"' "$work/yaml")))
            diff -U 1000 --label YAML --label "Lua in $folder" "$work/yaml" "$work/lua" >"$work/diff" && continue
            grep -E '^[-+]|^ +"scenario"' "$work/diff"
            echo "they differ with $options"
            failed=$((failed + 1))
        done
    done
done
echo "$ran pairs of runs, $failed failed"
((ran > 0 && failed == 0))
