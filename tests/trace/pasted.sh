#!/usr/bin/env bash
# What people paste when a job hangs: lines of the watchdog, logs without lines of INIT, what ncclras prints, stacks,
# lines of Horovod, clogs, records of RCCL, and a folder of several of these. Each has its report beside it.
set -u
unset "${!NCCL_@}"
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
cd "$here/pasted" || exit 1
ran=0 failed=0
complain() {
    printf '%s\n' "$1"
    failed=$((failed + 1))
}

for report in *.report; do
    name=${report%.report}
    ran=$((ran + 1))
    { "$program" diagnose "$name" </dev/null; echo "status $?"; } >"$work/got" 2>&1
    diff -u "$report" "$work/got" || complain "$name: the report is another one"
    # No report of a half is certain.
    grep -q '^HANG' "$work/got" && ! grep -qE 'likely, not certain|^  or ' "$work/got" && complain "$name: certain"
done

# ---- what is not whole, or not of one job ----

# says STATUS TEXT FILE...: of a diagnosis
says() {
    local want=$1 text=$2 got
    shift 2
    ran=$((ran + 1))
    "$program" diagnose "$@" >"$work/got" 2>&1 </dev/null
    got=$?
    { [ "$got" = "$want" ] && grep -qF -- "$text" "$work/got"; } ||
        { complain "$*: status $got, expected $want and: $text"; sed 's/^/  /' "$work/got"; }
}

head -n 2 watchdog_behind.log >"$work/two.log"
says 3 'only one rank left lines of its watchdog: nothing tells who is missing' "$work/two.log"
sed '3,6d' watchdog_behind.log >"$work/few.log"
sed 's/ank2/ank7/; s/ank 2/ank 7/' "$work/few.log" >"$work/few7.log"
says 3 'too few to tell from them who is missing' "$work/few7.log"
sed 's/, last completed.*//; s/NumelIn.*//' watchdog_kinds.log >"$work/cut.log"
says 3 'default_pg' "$work/cut.log"
# Lines of two groups that do not name them: no rank completes what another has not made.
{
    cat watchdog_old.log
    echo '[E ProcessGroupNCCL.cpp:830] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9000, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800311 milliseconds before timing out.'
} >"$work/groups.log"
says 3 'the lines of the watchdog are of several groups or runs: rank 3 has completed call 8999, and rank 0 has made 61' "$work/groups.log"
head -c 700 ras.json >"$work/ras.json"
says 2 'no JSON' "$work/ras.json"
head -n 14 ras.txt >"$work/nothing.txt"
says 5 'RAS shows no communicator whose ranks differ' "$work/nothing.txt"
cat >>"$work/nothing.txt" <<'E'
Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 811 on node 10.1.0.7 managing GPU 3

#0-0 (1f00ba1150c0ffee) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank:
  Rank 3 -- GPU 3 managed by process 811 on node 10.1.0.7
E
says 5 'rank 3 left no entry in RAS' "$work/nothing.txt"
sed 's/"rank": 3/"rank": 77/' ras.json >"$work/strange.json"
says 2 '`rank`: a rank of the communicator is expected' "$work/strange.json"
mkdir "$work/clogs" && cp clog/* "$work/clogs" && cp clog/clog_1.log "$work/clogs/other.log"
says 2 'a second clog of rank 1' "$work/clogs"
grep -v new_comm clog/clog_0.log >"$work/clog_x.log"
says 2 'no line of this clog says its rank' "$work/clog_x.log"
rm "$work/clogs/other.log" "$work/clogs/clog_3.log"
says 3 'rank 3 left no clog' "$work/clogs"
for rank in 0 1 2 3; do
    sed "s/opCount/opCount/; s/nranks=4/nranks=2/" no_init.log
done >"$work/pairs.log"
says 2 'no line says which rank of which communicator' "$work/pairs.log"
# Ranks of a part of the job: the handles of smaller communicators may be of several.
{
    sed 's/nranks=4/nranks=8/' no_init.log
    sed 's/nranks=4/nranks=4/; s/comm 0x55/comm 0x66/' no_init.log
} >"$work/part.log"
says 3 'on communicators of which no line tells the ranks are left out' "$work/part.log"
# Without the lines of their ends, the clogs of three ranks do not show that these wait for the fourth.
mkdir "$work/queued"
for rank in 0 1 2; do
    sed '/^split/d; /|[SE]|/d; s/root=1/root=0/' "clog/clog_$rank.log" >"$work/queued/clog_$rank.log"
done
says 5 'these clogs do not say which calls came to an end' "$work/queued"
mkdir "$work/jobs" && cp ../hand/dumps/* "$work/jobs"
sed 's/\[0, 1, 2, 3\]/[0, 1, 2, 3, 4]/' ../hand/dumps/nccl_trace_rank_0.json >"$work/jobs/nccl_trace_rank_4.json"
says 2 'the dumps are of two jobs' "$work/jobs"
rm "$work/jobs/nccl_trace_rank_4.json"
sed -n 's/ank2/ank9/; s/ank 2/ank 9/; 7p' watchdog_behind.log >"$work/jobs/other.log"
says 3 'the lines of the watchdog of rank 9 are of another job than the dumps' "$work/jobs"
# As threads quote them.
sed 's/^/> /' ras.txt >"$work/quoted.txt"
says 3 'ranks 3, 9 made 904 calls' "$work/quoted.txt"
sed 's/^/> /' stacks_of_all.txt >"$work/quoted_stacks.txt"
says 5 'most ranks are at one line, rank 2 is elsewhere' "$work/quoted_stacks.txt"
sed 's/^/> > /' horovod.log >"$work/quoted.log"
says 3 'ranks 1, 3 made no call on tensor' "$work/quoted.log"
# Clocks do not count: the same log with other times.
sed 's/E801 09:12/E802 23:59/' watchdog_behind.log >"$work/late.log"
says 3 'rank 2 made 504 calls on default_pg' "$work/late.log"
# Stacks of ranks that are in two places, none of which most are in: nobody is accused.
mkdir "$work/halves" && cp stacks/rank[02].txt "$work/halves"
says 5 'by the stacks, rank 2 is at images.py:31 in decode' "$work/halves"
# NCCL's log and the lines of the watchdog in one file: the calls are those of the log.
cat no_init.log watchdog_kinds.log >"$work/both.log"
says 3 'the lines of the watchdog are not used' "$work/both.log"

echo "$ran files, $failed failures"
[ "$failed" = 0 ] && [ "$ran" -gt 25 ]
