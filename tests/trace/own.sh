#!/usr/bin/env bash
# The simulator's log has the shape of NCCL's: of NCCL_DEBUG_SUBSYS=CALL each line is one of those that NCCL
# writes (2.30.7, TRACE_CALL), and `diagnose` finds in a scenario's own log what its run has found.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

complain() { # WHAT
    printf '%s\n' "$1"
    failed=$((failed + 1))
}

# ---- the shape ----

cat >"$work/calls.lua" <<'END'
scenario { ranks = 4 }

local x, all = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 256):fill(1)
local half = world:split { color = rank // 2 }
local rest = rank < 3 and world:shrink { 3 }
local op = world:premulsum("float32", 0.5)
world:all_reduce(x, { op = op, verify = false })
op:destroy()
nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(x, (rank - 1) % nranks)
end)
half:broadcast(x, { root = 1 })
world:all_gather(x, all)
world:all_to_all(all, cuda.buffer("float32", 256))
C.ncclAllReduce(x, x, 64, 99, C.ncclSum, world, stream) -- does not pass the checks
C.ncclGroupStart()
C.ncclGroupSimulateEnd(nil)
stream:sync()
END
sed -i 's/cuda.buffer("float32", 256)/cuda.buffer("float32", 256)/' "$work/calls.lua"
NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=CALL "$program" run "$work/calls.lua" >"$work/calls" 2>&1 ||
    complain "the scenario of the calls fails: $(cat "$work/calls")"
p='0x[0-9a-f]+' a='[0-9a-f]+' n='-?[0-9]+'
shape="^host0:[0-9]+:[0-9]+ NCCL CALL ("
shape+="ncclGroup(Start|End|SimulateEnd)\(\)|ncclGetUniqueId\($p\)"
shape+="|ncclCommInitRank\($p, $n, $p, $n, $n\)|ncclCommSplit\($p, $n, $n, $p, $n, $n\)|ncclCommGrow\($p, $n, $p\)"
shape+="|ncclRedOpCreatePreMulSum\($n,$p,$n,$n,$p\)|ncclRedOpDestroy\($n,$p\)"
shape+="|nccl(AllReduce|Broadcast|AllGather|AlltoAll|Send|Recv)\($a,$a,$n,$n,$n,$n,$p,($p|\(nil\))\))$"
grep 'NCCL CALL' "$work/calls" | grep -vE "$shape" >"$work/odd" && complain "no lines of NCCL's: $(cat "$work/odd")"
count() { # TIMES PATTERN
    local times
    times=$(grep -cE "NCCL CALL $2" "$work/calls")
    ((times == $1)) || complain "$times times $2, expected $1"
}
count 1 'ncclGetUniqueId'
count 4 'ncclCommInitRank'
count 7 'ncclCommSplit' # four by a split, three by a shrink
count 4 'ncclAllReduce'
count 4 'ncclRedOpCreatePreMulSum'
count 4 'ncclRedOpDestroy'
count 8 'ncclGroupStart'
count 4 'ncclGroupEnd'
count 4 'ncclGroupSimulateEnd'
count 4 "ncclSend\(0,$a,64,7,0,[0-3],"
count 0 'ncclCommDestroy'

# ---- what is found in it ----

own() { # SCENARIO RULE
    "$program" run "$1" >"$work/log" 2>"$work/err" ||
        complain "$1: the run is not as declared: $(cat "$work/log" "$work/err")"
    "$program" diagnose "$work/log" >"$work/out" 2>"$work/err"
    local status=$?
    if ((status != 3)) || ! grep -qF "ncclscript explain $2" "$work/out"; then
        complain "$1: diagnose of its log: status $status, expected 3 and $2:"
        cat "$work/out" "$work/err"
    fi
}
b=scenarios/bugs
export NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=CALL
own "$b/participants/skipped_call.lua[ranks=4,odd=1]" skipped-call
own "$b/participants/extra_call.lua[ranks=3,odd=1]" extra-call
own "$b/arguments/count_mismatch.lua[ranks=3,count=1,odd=2]" count-mismatch
own "$b/arguments/root_mismatch.lua[ranks=3,call=broadcast,odd=2]" root-mismatch
own "$b/communicators/comm_order.lua[ranks=2,warm=false]" comm-order
own "$b/p2p/p2p_count.lua[ranks=2,dst=1,sent=1]" p2p-count-mismatch
own "$b/p2p/wrong_peer.lua[ranks=3,dtype=float16,odd=2]" wrong-peer
own "$b/p2p/ring_ungrouped.lua[ranks=3,dtype=float32,warm=false]" p2p-cycle

# ---- communicators made of others, in the lines of INIT and COLL ----

made() { # VERSION WORD STATUS: 0 where the lines of INIT have the ends of communicators
    NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL "$program" run --nccl-version "$1" "$work/calls.lua" >"$work/log"
    local split="ncclCommSplit comm $p rank [01] nranks 2 cudaDev [0-3] nvmlDev [0-3] busId $a( commId $p)? parent $p $2 1 color [01] key 0"
    (($(grep -cE "NCCL INFO $split - Init COMPLETE" "$work/log") == 4)) || complain "$1: no four lines of the split"
    (($(grep -cE "NCCL INFO ncclCommShrink comm .* nranks 3 .* $2 0 color 0 key [0-2] - Init" "$work/log") == 3)) ||
        complain "$1: no three lines of the shrink"
    (($(grep -cE "Send: opCount $a sendbuff \(nil\) recvbuff $p count 64 datatype 7 op 0 root [0-3] " "$work/log") == 4)) ||
        complain "$1: no four sends"
    "$program" diagnose "$work/log" >"$work/out"
    [ $? = "$3" ] || complain "$1: diagnose: $(cat "$work/out")"
}
made 2.32.3 childCount 5
made 2.30.7 childCount 5
made 2.28.9 splitCount 0

# ---- one rank's mistake, and the waits that follow from it ----

mistake() { # BUG DUMP RULE: rank 5 makes it
    rm -rf "$work/dump"
    "$program" run -q --dump "$2" "$work/dump" -n 8 --set "bug=$1" tests/doors/program.lua >/dev/null 2>&1
    "$program" diagnose --format json "$work/dump" >"$work/out"
    grep -qE "\"findings\": ?\[\{\"rule\": \"$3\", \"level\": \"error\", \"certainty\": \"likely\", .{0,60}\"culprits\": \[\{\"rank\": 5,[^{]*\]" "$work/out" ||
        complain "$1, $2: not a likely $3 of rank 5: $(head -c 400 "$work/out")"
}
for dump in fr calls log; do
    mistake wrong-peer $dump wrong-peer
    mistake skip-tp $dump skipped-call
    mistake extra $dump extra-call
    mistake short $dump skipped-call
    mistake skip-world $dump skipped-call
    mistake wrong-comm $dump wrong-comm
done

# A destroy that waits leaves no line: nothing proves a hang, but a note names what is left. All that is destroyed is a pass.
for dump in log calls; do
    rm -rf "$work/dump"
    "$program" run -q --dump $dump "$work/dump" -n 8 --set bug=no-destroy tests/doors/program.lua >/dev/null 2>&1
    "$program" diagnose "$work/dump" >"$work/out"
    grep -q '^EMPTY' "$work/out" && grep -q 'destroy of world/split2.1 on ranks 1, 5, of world on ranks 0..7: they never called it, or wait' "$work/out" ||
        complain "no-destroy, $dump: $(head -c 400 "$work/out")"
    rm -rf "$work/dump"
    "$program" run -q --dump $dump "$work/dump" -n 8 tests/doors/program.lua >/dev/null 2>&1
    "$program" diagnose "$work/dump" >"$work/out"
    grep -q '^PASS' "$work/out" && ! grep -q 'end of the destroy' "$work/out" || complain "no mistake, $dump: $(head -c 400 "$work/out")"
done

echo "$(grep -c 'NCCL CALL' "$work/calls") lines, 11 logs, $failed complaints"
((failed == 0))
