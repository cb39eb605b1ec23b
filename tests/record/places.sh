#!/usr/bin/env bash
# Where recorded calls come from: source lines while the program's file is the one that ran, else functions and offsets.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
. tests/exec/libdw.bash
has_libdw || { echo "skipped: libdw (Debian: libdw1), which finds lines, is not installed"; exit 77; }
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
unset "${!NCCLSCRIPT_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
real=$(dirname "$NCCLSCRIPT")/tests/record/real
ldd "$real/libnccl.so.2" | grep -qE 'lib(clang_rt\.)?[at]san' &&
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
says() { grep -qE -- "$1" "$out/said" || fail "$name: lacks: $1"; }
leaves_out() { ! grep -qE -- "$1" "$out/said" || fail "$name: has: $1"; }

# The ranks reduce arrays of different sizes at line 8, and are killed.
cat >"$out/train.c" <<'C'
#include <signal.h>
#include "ncclscript/nccl_abi.h"
#include <stdlib.h>
extern ncclResult_t ncclGetUniqueId(ncclUniqueId *), ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int),
    ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, void *);
static float x[8];
void train_step(ncclComm_t c, size_t n); void train_step(ncclComm_t c, size_t n) {
    ncclAllReduce(x, x, n, ncclFloat32, ncclSum, c, 0);
    x[0]++; }
int main(void)
{
    int rank = atoi(getenv("RANK")); ncclUniqueId id; ncclComm_t c;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&c, 2, id, rank);
    train_step(c, rank ? 4 : 8);
    return raise(SIGKILL);
}
C
sed 's/^    x\[0\]++/\n&/; s/^static/\n&/' "$out/train.c" >"$out/later.c"
build() { # OUTPUT SOURCE OPTION...
    local to=$1 from=$2
    shift 2
    "$cc" -O1 "$@" -I include -o "$to" "$from" -x none "$real/libnccl.so.2" -Wl,-rpath,"$real" || exit 1
}
# The recording is diagnosed while the program's file is another one.
record() {
    rm -rf "$out/rec"
    for rank in 0 1; do RANK=$rank WORLD_SIZE=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$out/train"; done 2>/dev/null
}
diagnose() { "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" "$@" >"$out/said" 2>&1; }

name="debug information"
build "$out/train" "$out/train.c" -g
record
(cd "$out" && diagnose)
says 'rank 0.* train\.c:8'
says 'code .*train\.c:8 \| *ncclAllReduce\(x'
diagnose --format json
says '"line": 8, "file": "train\.c", "at": "train\.c:8"'
grep -qE '"at": "[^"]*\+0x' "$out/said" && fail "$name: an offset"

name="a folder that is not allowed"
"$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
leaves_out '\.c:[0-9]'
leaves_out '^  code'
says '^  note +lines are not read from .*/train and the like, .*\(--sources FOLDER\)$'

name="a link to the source"
mkdir "$out/elsewhere" && cp -p "$out/train.c" "$out/elsewhere" && ln -sf elsewhere/train.c "$out/train.c"
diagnose
says 'train\.c:8'
leaves_out '^  code'
cp -p --remove-destination "$out/elsewhere/train.c" "$out/train.c"

name="a link to the folder"
mkdir "$out/outer" && mv "$out/train" "$out/train.c" "$out/elsewhere" && ln -s "$out/elsewhere" "$out/outer/in"
"$NCCLSCRIPT" diagnose --sources "$out/outer" "$out/rec" >"$out/said" 2>&1
leaves_out '\.c:[0-9]'
mv "$out/elsewhere/train" "$out/elsewhere/train.c" "$out"

name="a line without end"
{ sed -n 1,7p "$out/train.c"; printf '%s // %*s.\n' "$(sed -n 8p "$out/train.c")" 5000000 ' '; } >"$out/long.c"
cp -p "$out/train.c" "$out/short.c" && cat "$out/long.c" >"$out/train.c" && touch -r "$out/short.c" "$out/train.c"
diagnose
says 'code .*train\.c:8 \| *ncclAllReduce\(x.*\.\.\.$'
[ "$(wc -c <"$out/said")" -lt 20000 ] || fail "$name: $(wc -c <"$out/said") bytes"
{ sed -n 1,7p "$out/train.c"; printf '%s' "$(sed -n 8p "$out/short.c")"; printf '\200%.0s' {1..2000}; echo; } >"$out/long.c"
cat "$out/long.c" >"$out/train.c" && touch -r "$out/short.c" "$out/train.c"
diagnose
says 'code .*train\.c:8 \| *ncclAllReduce\(x'
{ sed -n 1,7p "$out/short.c"; printf '\200%.0s' {1..2000}; echo; } >"$out/long.c" # nowhere does a character begin
cat "$out/long.c" >"$out/train.c" && touch -r "$out/short.c" "$out/train.c"
diagnose
says 'code .*train\.c:8 \| \.\.\.$'
cat "$out/short.c" >"$out/train.c" && touch -r "$out/short.c" "$out/train.c"

name="a source that is newer"
touch -d '+1 minute' "$out/train.c"
diagnose
says 'train\.c:8'
leaves_out '^  code'

name="a program that was built again"
cp "$out/train" "$out/first"
build "$out/train" "$out/later.c" -g
diagnose
leaves_out '\.c:[0-9]'
says ' train_?s?t?e?p?\+0x'

name="the same file again"
cp "$out/first" "$out/train"
diagnose
says 'train\.c:8'

name="no file"
rm "$out/train"
diagnose
leaves_out '\.c:[0-9]'
says ' train\+0x'

name="a pipe in the file's place"
mkfifo "$out/train"
timeout -s KILL 60 "$NCCLSCRIPT" diagnose --sources "$out" "$out/rec" >"$out/said" 2>&1
says ' train\+0x'
rm "$out/train"

name="no debug information"
build "$out/train" "$out/train.c"
record
diagnose
leaves_out '\.c:[0-9]'
says ' train_step\+0x'

name="no build id"
build "$out/train" "$out/train.c" -g -Wl,--build-id=none
record
diagnose
says 'train\.c:8'
touch -d '+1 minute' "$out/train"
diagnose
leaves_out '\.c:[0-9]'

[ "$failures" -eq 0 ]
