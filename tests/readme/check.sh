#!/usr/bin/env bash
# Runs what README.md shows: every Lua or YAML block whose first line names a file is written to that
# file, every command of a console block is run, and its output must be what the block says.
set -u
unset "${!NCCL_@}" NCCLSCRIPT_QUIET NCCLSCRIPT_GPUS # the simulator heeds them
export LC_ALL=C.UTF-8 TERM=xterm # what is drawn is drawn with lines
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$PWD/scenarios" "$work/scenarios"
ln -s "$program" "$work/ncclscript"
ln -s "$PWD/tests/trace/hand/dumps" "$work/dumps"
ln -s "$(dirname "$program")/tests/exec/exec_hang" "$work/train"

awk -v work="$work" '
    /^```lua$/     { kind = "text"; file = ""; next }
    /^```yaml$/    { kind = "text"; file = ""; next }
    /^```console$/ { kind = "console"; next }
    /^```/         { kind = ""; next }
    kind == "text" && file == "" { file = /^(--|#) [a-z_]+\.(lua|yaml)$/ ? work "/" $2 : "-" }
    kind == "text" && file != "-" { print > file }
    kind == "console" && /^\$ /  { n++; print substr($0, 3) > (work "/command." n); printf "" > (work "/want." n); next }
    kind == "console"            { print > (work "/want." n) }
' README.md

cd "$work" || exit 1
ran=0 failed=0
for command in command.*; do
    [[ -e $command ]] || continue
    n=${command#command.}
    # A thread of ThreadSanitizer's own sleeps in every program, so no hang is certain under exec.
    if [[ ${TSAN_OPTIONS:-} ]] && grep -q 'ncclscript exec' "$command"; then
        echo "left out under ThreadSanitizer: $(cat "$command")"
        continue
    fi
    PATH=$work:$PATH bash "$command" >got 2>&1 </dev/null
    ran=$((ran + 1))
    # Where in a function a call lies is the compiler's to say.
    sed -i -E 's/\+0x[0-9a-f]+/+0x../g' "want.$n" got
    if ! diff -u "want.$n" got; then
        echo "README.md: the output of: $(cat "$command")"
        failed=$((failed + 1))
    fi
done
echo "$ran commands of README.md, $failed differ"
((ran > 0 && failed == 0))
