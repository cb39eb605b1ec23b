#!/usr/bin/env bash
# Dumps as they are found: pickles of several protocols, packed ones, odd names, broken ones among others. The rank
# that skips a call is found in each. A dump takes at most three bytes of memory for each of its bytes.
set -u
unset "${!NCCL_@}"
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
python3 "$here/wild.py" jobs >table || exit 1
ran=0 failed=0
complain() {
    printf '%s\n' "$1"
    sed 's/^/  /' out
    failed=$((failed + 1))
}

while IFS=$'\t' read -r name says; do
    ran=$((ran + 1))
    "$program" diagnose "jobs/$name" >out 2>&1 </dev/null
    status=$?
    if [[ $name == *packed* ]] && grep -q 'libz.so.1 is not installed' out; then
        continue
    fi
    [ "$status" = 3 ] || complain "$name: status $status"
    grep -q 'why   rank 2 made 4 calls on .*; ranks 0, 1, .* made 5' out || complain "$name: not the call that rank 2 skips"
    grep -qE 'likely, not certain|^  or ' out || complain "$name: certain"
    [ "$says" = - ] || grep -qF -- "$says" out || complain "$name: no \`$says\`"
done <table

# The same if the files are named instead of their folder.
"$program" diagnose jobs/number_before_others/* >out 2>&1 </dev/null
grep -q 'why   rank 2 made 4 calls' out || complain "files by their names"

# Two dumps of one rank are two jobs.
cp jobs/protocol2/nccl_trace_rank_3 jobs/protocol3/again_rank_3
"$program" diagnose jobs/protocol3 >out 2>&1 </dev/null && complain "two dumps of a rank: status 0"
grep -q 'a second dump of rank 3' out && grep -q 'one job only' out || complain "two dumps of a rank"

# Without a library that unpacks, the message says so.
mkdir none
echo 'no library' >none/libz.so.1
LD_LIBRARY_PATH=$PWD/none "$program" diagnose jobs/packed/nccl_trace_rank_1.gz >out 2>&1 </dev/null
[ $? = 2 ] || complain "without libz.so.1"
grep -q 'libz.so.1 is not installed' out && grep -q gunzip out || complain "without libz.so.1: no message"

# Memory, of all dumps together; the program itself needs some.
python3 "$here/big.py" large 16 2000 || exit 1
bytes=$(cat large/* | wc -c)
"$program" diagnose --memory $((bytes * 3)) large >out 2>&1 </dev/null
[ $? = 3 ] || complain "16 dumps of 2000 calls, $bytes bytes, in three times as much memory"
grep -q 'rank 1 made 1000 calls on default_pg' out || complain "16 dumps of 2000 calls"

echo "$ran jobs, $failed failures"
[ "$failed" = 0 ] && [ "$ran" -gt 15 ]
