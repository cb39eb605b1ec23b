#!/usr/bin/env bash
# What exec checks while a program runs: results, and uses of memory that nothing orders.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

run "results, not verified" 0 "${exec[@]}" -n 4 -- "${clients}threads"
silent
run "results" 0 "${exec[@]}" -n 4 --verify -- "${clients}threads"
reports '^ncclscript: 4000 results verified, [0-9]+ calls$'
run "results of one thread" 0 "${exec[@]}" -n 4 --verify -- "${clients}one_thread"
reports '^ncclscript: [1-9][0-9]* results verified, '
run "results as JSON" 0 "${exec[@]}" -n 4 --verify --format json -- "${clients}threads"
reports '"verdict": "pass".*"checked": 4000, "unchecked": 0'
run "a spoilt result" 1 "${exec[@]}" -n 2 --verify --fault 'corrupt rank=1 call=5 first=2 count=1' -- "${clients}threads"
reports '^WRONG .*exec_threads  2 ranks, sim, seed 0$'
reports '^  communicator comm1, call 5: AllReduce float32 x 2 sum$'
reports '^    rank 1  element 2: got .*, want 2; 1 of 2 differ +\S+'
run "a spoilt result, not verified" 0 "${exec[@]}" -n 2 --fault 'corrupt rank=1 call=5' -- "${clients}threads"

run "kernels that are left out" 0 "${exec[@]}" -n 2 --verify --kernels skip -- "${clients}kernels" skip_reduce
reports '^ncclscript: 0 results verified, 2 not verified, '
reports 'kernels that may write its inputs were not run'

# Two streams and one buffer: a note, which does not change the status.
for case in unordered read_early; do
    run "order: $case" 0 "${exec[@]}" -n 2 -- "${clients}order" $case
    says '^order: ok$'
    reports "^  note  ranks 0, 1 read at \S+ what call 1 on comm1 .* writes, and nothing has waited for its end"
    reports '^  undefined '
done
run "order: overwritten" 0 "${exec[@]}" -n 2 -- "${clients}order" overwritten
reports '^  note  ranks 0, 1 overwrite at \S+.* still reads: nothing has waited for its end$'
run "order: of_another_rank" 0 "${exec[@]}" -n 2 -- "${clients}order" of_another_rank
reports '^  note  rank 1 reads at \S+.* writes, and nothing has waited for its end'
run "order: fail on what is undefined" 1 "${exec[@]}" -n 2 --fail-on undefined -- "${clients}order" read_early
reports '^FAIL .*exec_order  2 ranks, sim, seed 0: '
reports '^  fails read-before-sync \(--fail-on undefined\)$'
run "order: nothing to fail on" 0 "${exec[@]}" -n 2 --fail-on note -- "${clients}order" by_event
silent
# A program that is ordered in any way is not accused.
for case in by_event by_thread by_callback by_pinned_memory by_collective one_thread; do
    run "order: $case" 0 "${exec[@]}" -n 2 -- "${clients}order" $case
    says '^order: ok$'
    silent
done

# Memory that nothing has written, where it is used.
run "unwritten: tail" 0 "${exec[@]}" -n 2 -- "${clients}unwritten" tail
says '^unwritten: ok$'
reports '^  note  call 1 on comm1 .* combines elements 33-64 of rank 1 with data that were written: nothing has written these elements since '
run "unwritten: read_fresh" 0 "${exec[@]}" -n 2 -- "${clients}unwritten" read_fresh
reports '^  note  rank 0 reads bytes 1-256 at .*: the copy at .* took them from memory of rank 0 that nothing has written'
run "unwritten: fail on what is undefined" 1 "${exec[@]}" -n 2 --fail-on undefined -- "${clients}unwritten" tail
reports '^  fails never-written \(--fail-on undefined\)$'
for case in barrier unseen; do
    run "unwritten: $case" 0 "${exec[@]}" -n 2 --fail-on note -- "${clients}unwritten" $case
    says '^unwritten: ok$'
    silent
done
# A kernel may write what is no result.
run "unwritten: off_root" 1 "${exec[@]}" -n 2 --fail-on note -- "${clients}unwritten" off_root
reports '^  fails result-off-root \(--fail-on note\)$'
run "unwritten: filled_off_root" 0 "${exec[@]}" -n 2 --fail-on note --kernels skip -- "${clients}unwritten" filled_off_root
says '^unwritten: ok$'

finish checks
