#!/usr/bin/env bash
# Runs what README.md and the pages of docs show: every Lua or YAML block whose first line names a file is written to
# that file, every command of a console block is run, and its output must be what the block says. Each page has a
# directory of its own.
set -u
. tests/exec/libdw.bash
unset "${!NCCL_@}" NCCLSCRIPT_QUIET NCCLSCRIPT_GPUS # the simulator heeds them
export LC_ALL=C.UTF-8 TERM=xterm # what is drawn is drawn with lines
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
top=$PWD
scratch=$(mktemp -d) || exit 1
export XDG_STATE_HOME=$scratch/state # no lesson has been done
trap 'rm -rf "$scratch"' EXIT
ran=0 failed=0

# write_blocks PAGE DIRECTORY: the files that the page names, and command.N with want.N.
write_blocks() {
    awk -v work="$2" '
        /^```lua$/     { kind = "text"; file = ""; next }
        /^```yaml$/    { kind = "text"; file = ""; next }
        /^```console$/ { kind = "console"; next }
        /^```/         { kind = ""; next }
        kind == "text" && file == "" { file = /^(--|#) [a-z_]+\.(lua|yaml)$/ ? work "/" $2 : "-" }
        kind == "text" && file != "-" { print > file }
        kind == "console" && /^\$ /  { n++; print substr($0, 3) > (work "/command." n); printf "" > (work "/want." n); next }
        kind == "console"            { print > (work "/want." n) }
    ' "$1"
}

# run_page PAGE: runs its commands in order.
run_page() {
    local page=$1 command n work=$scratch/${1//\//_}
    mkdir "$work"
    ln -s "$top/scenarios" "$top/tests" "$top/examples" "$work"
    ln -s "$program" "$work/ncclscript"
    ln -s "$(dirname "$program")/tests/exec/exec_train" "$work/train"
    write_blocks "$page" "$work"
    cd "$work" || exit 1
    for ((n = 1; ; n++)); do
        command=command.$n
        [[ -e $command ]] || break
        # A thread of ThreadSanitizer's own sleeps in every program, so no hang is certain under exec.
        if [[ ${TSAN_OPTIONS:-} ]] && grep -q 'ncclscript exec' "$command"; then
            echo "left out under ThreadSanitizer: $(cat "$command")"
            continue
        fi
        if grep -q 'ncclscript exec' "$command" && ! has_libdw; then
            echo "left out without libdw, which finds lines: $(cat "$command")"
            continue
        fi
        PATH=$work:$PATH bash "$command" >got 2>&1 </dev/null
        ran=$((ran + 1))
        # The program was not built in this folder, so its source has no folder here.
        sed -i -E 's#examples/train\.c#train.c#g' "want.$n" got
        if ! diff -u "want.$n" got; then
            echo "$page: the output of: $(cat "$command")"
            failed=$((failed + 1))
        fi
    done
    cd "$top" || exit 1
}

# Links of a page to files of the tree must lead somewhere.
check_links() {
    local page=$1 target
    while IFS= read -r target; do
        [[ -e $(dirname "$page")/${target%%#*} ]] || { echo "$page: no such file: $target"; failed=$((failed + 1)); }
    done < <(grep -oE '\]\([^)#:]+[^):]*\)' "$page" | sed -E 's/^\]\(//; s/\)$//')
}

for page in README.md docs/*.md docs/decisions/*.md scenarios/README.md examples/README.md; do
    run_page "$page"
    check_links "$page"
done
lines=$(wc -l <README.md)
((lines <= 200)) || { echo "README.md has $lines lines, 200 at most"; failed=$((failed + 1)); }
echo "$ran commands of README.md and docs, $failed failures"
((ran > 0 && failed == 0))
