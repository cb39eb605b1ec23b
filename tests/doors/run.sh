#!/usr/bin/env bash
# One program with mistakes, seen through every door: a row for each door, start and bug, and sums for each door, which are held against
# bars.txt. By default a few bugs; all of them with NCCLSCRIPT_DOORS=all, or those that NCCLSCRIPT_DOORS names, as "swap kind".
# NCCLSCRIPT_DOORS_STARTS, NCCLSCRIPT_DOORS_SEEN and NCCLSCRIPT_DOORS_RANKS choose starts, doors and numbers of ranks, too.
# NCCLSCRIPT_DOORS_KEEP is a folder for the reports and the table.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${NCCLSCRIPT:?the path of the binary}"
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
ldd "$(dirname "$NCCLSCRIPT")/lib/ncclscript/libncclscript-sim.so" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
export NCCLSCRIPT
here=tests/doors
work=${NCCLSCRIPT_DOORS_KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${NCCLSCRIPT_DOORS_KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
some="none skip-tp extra swap p2p-cycle skip-last"
which=${NCCLSCRIPT_DOORS:-$some}
bars=some
if [ "$which" = all ]; then
    which=$(awk '!/^#/ && !seen[$1]++ { print $1 }' $here/bugs.txt)
    bars=all
elif [ -n "${NCCLSCRIPT_DOORS:-}${NCCLSCRIPT_DOORS_STARTS:-}${NCCLSCRIPT_DOORS_SEEN:-}" ]; then
    bars=none
fi
doors=${NCCLSCRIPT_DOORS_SEEN:-exec exec-record record run fr log calls}
for bug in $which; do
    for ranks in ${NCCLSCRIPT_DOORS_RANKS:-8}; do
        for start in ${NCCLSCRIPT_DOORS_STARTS:-threads one fork mpirun ranks}; do
            seen=
            for door in $doors; do
                case $door.$start in
                exec*.ranks | record.ranks | run.[!r]* | fr.[!r]* | log.[!r]* | calls.[!r]*) ;;
                *) seen="$seen $door" ;;
                esac
            done
            [ -z "$seen" ] || echo "$start $bug $ranks$seen"
        done
    done
done | KEEP=${NCCLSCRIPT_DOORS_KEEP:-} xargs -P "$(nproc)" -L 1 bash $here/through.bash >"$work/rows"
sort "$work/rows" >"$work/table"
awk -v bars="$bars" -v file=$here/bars.txt -f $here/sums.awk "$work/table"
