#!/usr/bin/env bash
# The calls of a program as a scenario that ends as the program does.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1
made=$out/made.lua

again() { # NAME OUTCOME
    "$NCCLSCRIPT" run "$made" >"$out/stdout" 2>"$out/stderr" || fail "$1: the scenario does not end as it declares"
    says "$2"
}

run "a hang" 3 "${exec[@]}" -n 4 --record "$made" -- "${clients}hang"
reports '^ncclscript: .*/made\.lua: [0-9]+ lines; its run ends as the record shows: hang: skipped-call, rank 2$'
grep -qE '^-- Written by ncclscript from .*hang\.$' "$made" || fail "$name: who wrote it"
grep -q 'world:all_reduce(x, { op = "sum", count = 8' "$made" || fail "$name: another call"
again "a hang" 'hang as declared: skipped-call, rank 2$'

run "a hang in YAML" 3 "${exec[@]}" -n 4 --record "$out/made.yaml" -- "${clients}hang"
made=$out/made.yaml again "a hang in YAML" 'hang as declared: skipped-call, rank 2$'

run "a communicator that is destroyed early" 3 "${exec[@]}" -n 4 --record "$made" -- "${clients}train"
reports 'its run ends as the record shows: hang: early-destroy, rank 2$'
again "destroyed" 'hang as declared: early-destroy, rank 2$'

run "a fault" 3 "${exec[@]}" -n 4 --fault 'kill rank=1 call=1' --record "$made" -- "${clients}threads" 3
reports 'its run ends as the record shows: hang: rank-lost, rank 1$'
again "a fault" 'hang as declared: rank-lost, rank 1$'

# One thread has all devices: a communicator of a split has ranks of its own, and calls of groups wait at the group's end.
job=$(dirname "$NCCLSCRIPT")/tests/doors/doors_program
run "one thread, splits" 3 "${exec[@]}" -n 8 --record "$made" -- "$job" one skip-tp 8
reports 'its run ends as the record shows: hang: skipped-call, rank 5$'
[ "$(grep -c 'world:split' "$made")" -eq 2 ] || fail "$name: not a split for each dimension"
again "one thread, splits" 'hang as declared: skipped-call, rank 5$'
run "one thread, a split that a rank leaves out" 3 "${exec[@]}" -n 8 --record "$made" -- "$job" one split-fewer 8
reports 'its run ends as the record shows: hang: skipped-call, rank 5$'
run "one thread, a rank that never joins" 3 "${exec[@]}" -n 8 --record "$made" -- "$job" one no-init 8
reports '^  why   7 of 8 ranks joined comm1 with ncclCommInitRank, rank 5 of comm1 did not$'
reports 'its run ends as the record shows: hang: init-missing-rank, rank 5$'
run "one thread, a rank that never joins, in JSON" 3 "${exec[@]}" -n 8 --format json -- "$job" one no-init 8
reports '"culprits": \[\{"rank": null, "comm_rank": 5, "device": null, '

# The scenario is written in the first way that ends as the program does: with another order of what only some ranks make last, with
# places in comments.
run "a step left out" 3 "${exec[@]}" -n 8 --record "$made" -- "$job" threads short 8
reports 'its run ends as the record shows: hang: skipped-call, rank 5$'
run "another communicator" 3 "${exec[@]}" -n 8 --record "$made" -- "$job" threads wrong-comm 8
reports 'its run ends as the record shows: hang: wrong-comm, rank 5$'
again "another communicator" 'hang as declared: wrong-comm, rank 5$'

# Processes with a run each write one file.
run "a run for each process" 3 "${exec[@]}" -n 4 --processes one --record "$made" -- "$job" fork none 4
reports "^ncclscript exec: 4 processes with a run each have written $made: it has the run of the last one\$"

# Within one process, no destroy waits for another rank.
run "threads, a destroy left out" 0 "${exec[@]}" -n 8 --record "$made" -- "$job" threads no-destroy 8
reports 'its run ends as the record shows: pass$'
grep -q 'devices = 1' "$made" || fail "$name: the ranks are on one host"

run "a program that succeeds" 0 "${exec[@]}" -n 4 --record "$made" -- "${clients}threads" 50
reports 'its run ends as the record shows: pass$'
grep -q '^for _ = 1, 50 do$' "$made" || fail "$name: no loop"
again "a program that succeeds" '^PASS '

run "calls that a scenario lacks" 0 "${exec[@]}" -n 4 --record "$made" -- "${clients}recovery"
reports 'its run hangs \(abort-one-rank, rank 3\), where the record '
grep -q '^-- Its run hangs (abort-one-rank, rank 3), where the record ' "$made" || fail "$name: the file does not say so"
grep -q '^-- Not written: ' "$made" || fail "$name: the file does not say what is not written"
reports '^ncclscript: not written: '

run "calls that did not count" 0 "${exec[@]}" -n 4 --record "$made" -- "${clients}lives"
reports 'its run ends as the record shows: pass$'
leaves_out 'not written'
! grep -q 'Not written' "$made" || fail "$name: a comment about calls that are not written"

run "a time limit" 124 "${exec[@]}" --timeout 300ms --patience 1h --record "$made" -- "${clients}pollers" naps
reports 'made\.lua: [0-9]+ lines; its run [a-z]+ .*; it declares no outcome: the record ends with timeout$'
grep -q '^-- No outcome is declared: the record ends with timeout\.$' "$made" || fail "$name: the file does not say so"
grep -q 'outcome' "$made" && ! grep -q 'outcome = ' "$made" || fail "$name: an outcome"
run "a time limit in YAML" 124 "${exec[@]}" --timeout 300ms --patience 1h --record "$out/made.yaml" -- "${clients}pollers" naps
reports 'it declares no outcome: the record ends with timeout$'

run "a program that fails by itself" 7 "${exec[@]}" -n 2 --record "$made" -- sh -c '"$0" && exit 7' "${clients}one_thread"
reports 'its run ends as the record shows: pass$'
reports 'made\.lua: the program ended with status 7; its calls do not show why$'

run "no call" 74 "${exec[@]}" -n 4 --record "$out/none.lua" -- "${clients}machine"
reports 'none\.lua was not written: the program made no call that a scenario can make$'
[ ! -e "$out/none.lua" ] || fail "$name: a file"
run "a full disk" 74 "${exec[@]}" -n 4 --record /dev/full -- "${clients}threads" 3
reports '^ncclscript: /dev/full: cannot be written: No space left on device$'
cp "${clients}hang" "$out/program" && cmp -s "${clients}hang" "$out/program" || fail "a copy of the program"
for option in record html trace; do
    run "--$option on a program" 2 "${exec[@]}" "--$option" "$out/program" -- "${clients}hang"
    reports "^ncclscript exec: --$option .*/program: this file is a program, and is not replaced"
    cmp -s "${clients}hang" "$out/program" || fail "$name: it was replaced"
done
run "standard output" 2 "${exec[@]}" --record - -- "${clients}hang"
run "a folder" 2 "${exec[@]}" --record / -- "${clients}hang"
run "several runs" 2 "${exec[@]}" --record "$made" --repeat 2 -- "${clients}hang"
reports '^ncclscript exec: --record is for one run: leave out --repeat'

finish record
