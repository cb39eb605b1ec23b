#!/usr/bin/env bash
# docs/exit-statuses.md, the help and the pages of explain know the same exit statuses, and the verdicts' are among them.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sed -n 's/^| \([0-9][0-9]*\) |.*/\1/p' docs/exit-statuses.md >"$work/docs"
"$NCCLSCRIPT" help | sed -n '/^Exit status/,$s/^  \([0-9][0-9]*\) .*/\1/p' >"$work/help"
"$NCCLSCRIPT" explain --format json | jq -r '.topic // .name' | sed -n 's/^exit-\([0-9][0-9]*\)$/\1/p' >"$work/explain"
"$NCCLSCRIPT" explain exit-status | grep -o 'exit-[0-9][0-9]*' | sed 's/exit-//' | sort -un >"$work/exit-status"
sed -n 's/.*= { "[a-z]*", *\([0-9][0-9]*\), *[0-9]* }.*/\1/p' src/run/verdict.c | sort -un >"$work/verdict.c"

[[ $(wc -l <"$work/docs") -ge 14 ]] || { echo "docs/exit-statuses.md has no table of exit statuses"; exit 1; }
failed=0
for where in help explain exit-status; do
    diff -u "$work/docs" "$work/$where" || { echo "docs and $where differ"; failed=1; }
done
[[ -s $work/verdict.c ]] || { echo "no statuses in src/run/verdict.c"; failed=1; }
while read -r status; do
    grep -qx "$status" "$work/docs" || { echo "docs lacks $status of src/run/verdict.c"; failed=1; }
done <"$work/verdict.c"
exit $failed
