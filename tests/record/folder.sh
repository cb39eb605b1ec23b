#!/usr/bin/env bash
# The folder of recordings: one that cannot hold them is refused before the program starts; a recorder that finds so inside
# the program prints one line and leaves the program alone; older recordings stay.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
unset "${!NCCLSCRIPT_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
job=$(dirname "$NCCLSCRIPT")/tests/record/record_job
recorder=$(dirname "$NCCLSCRIPT")/lib/ncclscript/libncclscript-record.so
ldd "$job" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/said" 2>/dev/null
    failures=$((failures + 1))
}
refused() { # NAME FOLDER MESSAGE
    local folder=$2 message=$3
    name=$1
    "$NCCLSCRIPT" record -o "$folder" -- sh -c "touch $out/started" >"$out/said" 2>&1
    [ $? -eq 2 ] || fail "$name: not status 2"
    [ ! -e "$out/started" ] || fail "$name: the program was started"
    [ "$(wc -l <"$out/said")" -eq 1 ] || fail "$name: not one line"
    grep -qE -- "$message" "$out/said" || fail "$name: lacks $message"
    rm -f "$out/started"
}
long=$(printf 'x%.0s' {1..300})
touch "$out/file"
refused "a file" "$out/file" 'record: --output .*/file: expected a folder, and this is a file'
refused "a folder in a file" "$out/file/sub" 'file/sub: expected a folder, and it cannot be made: Not a directory'
refused "no parent" "$out/none/sub/" 'record: --output .*/none/sub/: expected a folder, or a new name in a folder: there is no folder .*/none$'
refused "a long name" "$out/$long" 'File name too long'
refused "no name" "" "--output '': expected the name of a folder"
refused "a folder without files" /proc "no file can be made there|a recording takes at least"
(ulimit -f 100; refused "a limit of files" "$out/limited" 'a recording takes at least 5120 KiB, and the limit of files \(ulimit -f\) is 100 KiB'
    [ "$failures" -eq 0 ]) || failures=$((failures + 1))
[ ! -e "$out/limited" ] || fail "a limit of files: the folder is left behind"
mkdir "$out/mine"
chmod 555 "$out/mine"
[ -w "$out/mine" ] || refused "an unwritable folder" "$out/mine" 'no file can be made there: Permission denied'

# A program that cannot be started: no folder, and no line that says where its calls are.
not_run() { # NAME STATUS MESSAGE PROGRAM
    name=$1
    env -u NCCLSCRIPT_QUIET "$NCCLSCRIPT" record -o "$out/unused" -- "$4" >"$out/said" 2>&1
    local got=$?
    [ "$got" -eq "$2" ] || fail "$name: status $got, not $2"
    [ ! -e "$out/unused" ] || fail "$name: the folder is left behind"
    grep -qE -- "^ncclscript record: cannot run \`.*\`: $3" "$out/said" || fail "$name: lacks $3"
    [ "$name" = "no program" ] || [ "$(wc -l <"$out/said")" -eq 1 ] || fail "$name: not one line"
}
not_run "not there" 127 'No such file or directory' "$out/nothere"
not_run "not in PATH" 127 'No such file or directory' ncclscript-nothere
not_run "not executable" 126 'Permission denied' "$out/file"
not_run "a folder as program" 126 'Is a directory' "$out"
printf 'no program' >"$out/text"
chmod +x "$out/text"
not_run "no program" 126 'it is neither a program for this machine' "$out/text"

unharmed() { # NAME FOLDER MESSAGE
    name=$1
    LD_PRELOAD=$recorder NCCLSCRIPT_RECORD=$2 "$job" join reduce 3 >"$out/said" 2>&1 || fail "$name: the job was harmed"
    [ "$(grep -c 'this process is not recorded' "$out/said")" -eq 1 ] && [ "$(wc -l <"$out/said")" -eq 1 ] ||
        fail "$name: not one line"
    grep -qE "$3" "$out/said" || fail "$name: lacks $3"
}
unharmed "inside, a file" "$out/file" 'Not a directory'
unharmed "inside, no parent" "$out/none/sub" 'No such file'
unharmed "inside, a long name" "$out/$long" 'File name too long'
mkdir "$out/short"
(ulimit -f 100; unharmed "inside, a limit of files" "$out/short" 'File too large'; [ "$failures" -eq 0 ]) || failures=$((failures + 1))
[ -z "$(ls "$out/short")" ] || fail "inside, a limit of files: a file is left"

name="a relative folder"
(cd "$out" && LD_PRELOAD=$recorder NCCLSCRIPT_RECORD=relative "$job" join reduce 3) || fail "$name"
[ "$(ls "$out/relative" | grep -c '^0@')" -eq 1 ] || fail "$name: $(ls "$out/relative")"

# A process of the same number, as in a container: no recording is lost, and the newest start counts.
for launcher in RANK=0 JOB_RANK=0; do
    name="a number of a process that comes again, $launcher"
    rm -rf "$out/rec"
    env $launcher "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 3 exec join reduce 4 exec join reduce 5 || fail "$name"
    [ "$(ls "$out/rec" | grep -cE '^0@.*[0-9]\.ncclrec$')" -eq 3 ] || fail "$name: $(ls "$out/rec")"
    "$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
    [ -z "$(find "$out/rec" -type f ! -perm 600)" ] || fail "$name: others can read a recording"
    grep -q 'nothing wrong found in 5 calls' "$out/said" && grep -q '2 recordings of an earlier start' "$out/said" || fail "$name"
done

name="other files in the folder"
cp examples/dumps/* "$out/rec" 2>/dev/null
"$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
grep -q 'Flight Recorder dumps are not used: recordings have the calls' "$out/said" || fail "$name"

# Programs that the loader does not preload anything into.
if printf 'int main(void) { return 5; }\n' >"$out/main.c" && ${CC:-cc} -static -o "$out/static" "$out/main.c" 2>/dev/null; then
    "$NCCLSCRIPT" record -o "$out/rec" -- "$out/static" 2>"$out/said"
    [ $? -eq 5 ] || fail "a static program: the status"
    grep -q 'static` is statically linked: its own calls cannot be recorded' "$out/said" || fail "a static program: no message"
fi

[ "$failures" -eq 0 ]
