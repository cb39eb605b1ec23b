#!/usr/bin/env bash
# What NCCL's log leaves out: which communicator a line of CALL means, calls that NCCL refused, communicators that were
# aborted, revoked or shrunk, groups. Written by hand; `diagnose` accuses nobody where such a line explains a call.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
ran=0 failed=0

# check NAME STATUS [TEXT | !TEXT]...: the report of the log has the text, or lacks it
check() {
    local name=$1 want=$2 got text wrong=
    shift 2
    ran=$((ran + 1))
    timeout 100 "$program" diagnose job.log >out 2>&1 </dev/null
    got=$?
    [ "$got" = "$want" ] || wrong="status $got, expected $want"
    for text in "$@"; do
        case $text in
        !*) ! grep -qF -- "${text#!}" out || wrong="has: ${text#!}" ;;
        *) grep -qF -- "$text" out || wrong="lacks: $text" ;;
        esac
    done
    [ -z "$wrong" ] || { echo "$name: $wrong"; sed 's/^/    /' out; failed=$((failed + 1)); }
}

rm -f job.log
call() { echo "node:$1:$1 NCCL CALL $2" >>job.log; }                    # RANK TEXT
info() { echo "node:$1:$1 [$1] NCCL INFO $2" >>job.log; }
warn() { echo "[2025-01-01 00:00:00] node:$1:$1 [$1] enqueue.cc:1900 (ArgsCheck) NCCL WARN $2" >>job.log; }
reduce() { call "$1" "ncclAllReduce(7f00,7f00,8,7,0,0,0x$2,0x3)"; }     # RANK HANDLE
split() { call "$1" "ncclCommSplit(0x1$1, $2, $3, 0x$4, $5, $6)"; }     # RANK COLOR KEY NEW RANK NRANKS
world() { # NRANKS: handles 0x10, 0x11 ..
    rm -f job.log
    for ((r = 0; r < $1; r++)); do call "$r" "ncclCommInitRank(0x1$r, $1, 0xabc, $r, $r)"; done
}
apart="other ranks belong together"

# ---- splits in lines of CALL: each rank may have no color ----

gaps() { # the parts {0, 1} and {1, 2}, of one color and size
    world 3
    split 0 0 0 20 0 2
    split 1 0 1 21 1 2
    split 1 0 1 31 0 2
    split 2 0 2 32 1 2
}
gaps
for c in "0 20" "1 21" "1 31" "2 32"; do reduce $c; done
check "splits with gaps" 5 "!$apart"
gaps
for c in "0 20" "1 21" "1 31"; do reduce $c; done
check "a call that lacks in a part" 3 "rank 2 made no call on world/split.0" "!$apart"

# Keys turn the order around: rank 2 cannot be before rank 0.
world 4
split 0 0 5 20 1 2
split 2 0 9 22 0 2
split 1 0 3 21 0 2
split 3 0 10 23 1 2
for c in "0 20" "1 21" "2 22" "3 23"; do reduce $c; done
check "parts by their keys" 5

# {0, 1} and {0, 2}: ranks 1 and 2 fit both.
world 3
split 0 0 0 20 0 2
split 0 0 0 30 0 2
split 1 0 1 21 1 2
split 2 0 2 32 1 2
for c in "0 10" "1 11"; do reduce $c; done
check "parts that two ranks fit" 3 "$apart"

# The same ranks each time: it does not matter.
world 2
for n in 2 3 4; do
    split 0 0 0 ${n}0 0 2
    split 1 0 0 ${n}1 1 2
done
reduce 0 10
check "splits of the same ranks" 3 "!$apart"

# ---- lines of INIT beside those of CALL ----

both() { # RANK COLOR KEY NEW RANK NRANKS COUNT
    split "$1" "$2" "$3" "$4" "$5" "$6"
    info "$1" "ncclCommSplit comm 0x$4 rank $5 nranks $6 cudaDev $1 nvmlDev $1 busId 1000 parent 0x1$1 childCount $7 color $2 key $3 - Init COMPLETE"
}
begin() { # NRANKS
    rm -f job.log
    for ((r = 0; r < $1; r++)); do
        info "$r" "[Rank $r] ncclCommInitRank comm 0x1$r rank $r nranks $1 cudaDev $r nvmlDev $r busId 1000 commId 0xabc - Init START"
        call "$r" "ncclCommInitRank(0x1$r, $1, 0xabc, $r, $r)"
        info "$r" "ncclCommInitRank comm 0x1$r rank $r nranks $1 cudaDev $r nvmlDev $r busId 1000 commId 0xabc - Init COMPLETE"
    done
}
begin 3
both 0 0 0 20 0 2 1
both 0 0 0 30 0 2 2
both 2 0 2 32 1 2 1
both 1 0 1 21 1 2 2
for c in "0 30" "1 21" "2 32" "0 20"; do reduce $c; done
check "splits with numbers" 5 "!$apart"

# ---- calls that NCCL refused ----

world 2
call 0 "ncclGroupStart()"
reduce 0 10
warn 0 "Send : invalid root 99 (root should be in the 0..2 range)"
reduce 0 10
reduce 1 11
check "a group that is dropped" 5 "1 call is left out: its group failed, see the warning at job.log:5"

# Behind the refused call, in the group: it meets nothing.
world 2
call 0 "ncclGroupStart()"
warn 0 "Broadcast : invalid root 99 (root should be in the 0..2 range)"
call 0 "ncclAllReduce(7f00,7f00,100,7,0,0,0x10,0x3)"
reduce 0 10
reduce 1 11
check "a call behind the refused one" 5 "1 call is left out: its group failed"

# The refused call has no line: the one before was made.
world 2
reduce 0 10
warn 0 "AllReduce : invalid type 99"
check "a refused call alone" 3 "rank 1 made no call"

# A group that fails otherwise leaves no end either.
world 2
call 0 "ncclGroupStart()"
reduce 0 10
warn 0 "Cuda failure 2 'out of memory'"
for r in 0 1; do
    call $r "ncclGroupStart()"
    reduce $r 1$r
    call $r "ncclGroupEnd()"
done
check "a group that fails" 5 "1 call is left out: its group failed, see the warning at job.log:5"

coll() { # RANK HANDLE COUNT
    info "$1" "AllReduce: opCount 0 sendbuff 0x7f00 recvbuff 0x7f00 count $3 datatype 7 op 0 root 0 comm 0x$2 [nranks=2] stream 0x3"
}
begin 2
sed -i '/NCCL CALL/d' job.log
coll 0 10 8
warn 0 "Send : invalid root 99 (root should be in the 0..2 range)"
coll 0 10 8
coll 1 11 8
check "lines of COLL: a group that is dropped" 5 "1 call is left out: its group failed"

begin 2
sed -i '/NCCL CALL/d' job.log
coll 0 10 8
coll 0 10 8
warn 1 "Send : invalid root 99 (root should be in the 0..2 range)"
coll 1 11 8
check "lines of COLL: another rank was refused" 3 "rank 1 made one call"

# A peer that is not there: NCCL refuses it, so the line is torn.
world 2
call 0 "ncclSend(0,7f00,8,7,0,-1,0x10,0x3)"
call 0 "ncclRecv(0,7f00,8,7,0,2,0x10,0x3)"
check "peers that are not there" 5 "2 lines of NCCL's are not understood"

# ---- communicators that were given up ----

ends() { # NRANKS WHAT: rank 0 does not make the last call; WHAT of the others
    begin "$1"
    for ((r = 1; r < $1; r++)); do
        reduce $r 1$r
        info $r "comm 0x1$r rank $r nranks $1 cudaDev $r busId 1000 - $2"
    done
}
ends 3 "Abort COMPLETE"
check "an aborted communicator" 5
ends 3 "Revoke COMPLETE, result 0"
check "a revoked communicator" 5
ends 3 "Abort START"
check "no end of an abort" 3 "rank 0 made no call"

begin 3
for r in 1 2; do
    reduce $r 1$r
    warn $r "AllReduce: communicator was revoked"
done
check "a warning of a revoked communicator" 5

begin 3
for r in 1 2; do
    reduce $r 1$r
    info $r "[Rank $((r - 1))] ncclCommShrink comm 0x2$r rank $((r - 1)) nranks 2 cudaDev $r nvmlDev $r busId 1000 commId 0xdef - Init START"
    info $r "ncclCommShrink comm 0x2$r rank $((r - 1)) nranks 2 cudaDev $r nvmlDev $r busId 1000 parent 0x1$r childCount 0 color 0 key $r - Init COMPLETE"
    reduce $r 2$r
done
check "a communicator that was shrunk" 5

# One of two ranks waits for the other, which gave up.
begin 3
reduce 1 11
reduce 2 12
info 1 "comm 0x11 rank 1 nranks 3 cudaDev 1 busId 1000 - Abort COMPLETE"
check "a rank that did not abort" 3

# Lines of CALL alone have no aborts.
world 3
for r in 1 2; do reduce $r 1$r; done
for r in 1 2; do call $r "ncclCommInitRank(0x2$r, 2, 0xdef, $((r - 1)), $r)"; done
check "a new communicator" 3 "it could also be that ranks aborted world"

# ---- groups ----

pair() { # HANDLES OF TWO COMMUNICATORS, SECOND FIRST ON RANK 1
    begin 2
    for r in 0 1; do info $r "ncclCommInitRank comm 0x2$r rank $r nranks 2 cudaDev $r nvmlDev $r busId 1000 commId 0xdef - Init COMPLETE"; done
}
pair
for r in 0 1; do
    call $r "ncclGroupStart()"
    reduce $r $((1 + r))$r
    reduce $r $((2 - r))$r
    call $r "ncclGroupEnd()"
done
check "two communicators in a group in any order" 5

pair
for r in 0 1; do
    reduce $r $((1 + r))$r
    reduce $r $((2 - r))$r
done
check "two communicators without a group" 3 "use the communicators in one order" "!in one group"

pair
sed -i '/NCCL CALL/d' job.log
for r in 0 1; do
    coll $r $((1 + r))$r 8
    coll $r $((2 - r))$r 8
done
check "lines of COLL show no groups" 3 "it could also be that these calls are in one group"

# ---- many splits ----

# A rank of 64 has no color in every second split of its own.
rm -f job.log
awk 'BEGIN {
    for (r = 0; r < 64; r++) {
        printf "n:%d:%d NCCL CALL ncclCommInitRank(0x%x, 64, 0xabc, %d, 0)\n", r, r, 4096 + r, r
        for (s = 0; s < 400; s++) {
            out = (s % 2) ? s % 64 : -1
            if (r == out) continue
            h = 65536 + s * 64 + r
            printf "n:%d:%d NCCL CALL ncclCommSplit(0x%x, 0, %d, 0x%x, %d, %d)\n", r, r, 4096 + r, r, h, \
                   (out >= 0 && r > out) ? r - 1 : r, (out >= 0) ? 63 : 64
            printf "n:%d:%d NCCL CALL ncclAllReduce(7f00,7f00,8,7,0,0,0x%x,0x3)\n", r, r, h
        }
    }
}' >job.log
check "many splits" 5

# ---- shrinks: their number is that of the next split ----

shrunk() { # RANK HANDLE
    info "$1" "ncclCommShrink comm 0x$2 rank $1 nranks 3 cudaDev $1 busId 1000 parent 0x1$1 childCount 0 color 0 key $1 - Init COMPLETE"
}
colls() { info "$1" "AllReduce: opCount 0 sendbuff 0x7f00 recvbuff 0x7f00 count 8 datatype 7 op 0 root 0 comm 0x$2 [nranks=3] stream 0x3"; }
twice() { # handles 0x20 .. and 0x30 ..
    rm -f job.log
    for r in 0 1 2 3; do
        info $r "ncclCommInitRank comm 0x1$r rank $r nranks 4 cudaDev $r busId 1000 commId 0xabc - Init COMPLETE"
    done
    for r in 0 1 2; do
        for new in 2 3; do
            shrunk $r $new$r
            [ "$r$new" = "${1:-}" ] || colls $r $new$r
        done
    done
}
twice
check "two shrinks of one number" 5 "!left no log"
twice 13
check "a call that lacks on the second shrink" 3 "rank 1 made no call on world/split0.0" "!left no log"

# ---- a job that was started again: NCCL appends to its files ----

start() { # ID PID-PREFIX RANK-WITHOUT-THE-LAST-CALL
    local r n
    for r in 0 1 2; do
        for n in "INIT" 0 1; do
            [ "$r$n" != "${3}1" ] || continue
            case $n in
            INIT) text="ncclCommInitRank comm 0x1$r rank $r nranks 3 cudaDev $r busId ${r}000 commId 0x$1 - Init COMPLETE" ;;
            *) text="AllReduce: opCount $n sendbuff 0x7f00 recvbuff 0x7f00 count 8 datatype 7 op 0 root 0 comm 0x1$r [nranks=3] stream 0x3" ;;
            esac
            echo "node:$2$r:$2$r [$r] NCCL INFO $text" >>"job.log${4:+/$r}"
        done
    done
}
newer="the lines of 3 processes of an earlier start are left out, the first is node:10, "
rm -f job.log
start abc 1 -
start def 2 1
check "a hang in the second start" 3 "3 ranks" "rank 1 made one call on world" "$newer"
rm -f job.log
start abc 1 1
start def 2 -
check "a hang in the first start" 5 "$newer"
rm -f job.log
mkdir job.log
start abc 1 1 files
start def 2 0 files
check "a file of each rank" 3 "rank 0 made one call on world" "$newer"
start 123 3 - files
check "three starts" 5 "the lines of 6 processes of earlier starts are left out"
rm -r job.log
mkdir job.log
start abc 1 1 files
start abc 2 - files
check "one id, as NCCL_COMM_ID makes it" 5 "$newer"
rm -r job.log
start abc 1 -
sed -i 's/busId ./busId 9/' job.log
start def 2 -
check "two communicators of other GPUs" 5 "!earlier start"

# ---- ncclras without a communicator ----

cat >job.log <<'END'
{ "nccl_version": "2.30.7", "communicators_count": 0, "communicators": [], "ras": { "timeouts_count": 0 } }
END
check "no communicator is left" 5

echo "$ran logs, $failed complaints"
((failed == 0))
