#!/usr/bin/env bash
# Threads that ask again and again hide no hang and stop no time limit; a program that goes on by itself is
# not taken for one that hangs.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1

# The same if the machine is in another process.
for how in one many; do
for who in watched watched,spins ranks ranks,spins ranks,watched ranks,watched,spins; do
    run "hang, $who, $how" 3 "${exec[@]}" --processes $how --stall 1h --patience 300ms -- "${clients}pollers" "$who"
    reports '^HANG .*exec_pollers  2 ranks, sim, seed 0: likely, not certain$'
    reports '^    rank 0  waits in cudaStream(Query|Synchronize)\(\) +'"$in_pollers"
    reports '^  why   rank 1 made one call on comm1; rank 0 made 2'
    reports '^  note  all threads wait or poll, and nothing has changed for 300 ms \(--patience\); threads poll in '
    case $who in
    watched*) reports ' in (cudaEventQuery|ncclCommGetAsyncError) at '"$in_pollers"' \(another thread, for rank 0\)(,|$)' ;;
    ranks | ranks,spins) reports ' in cudaStreamQuery at '"$in_pollers"' \(rank 0\)(,|$)' ;;
    esac
done
done
run "hang of four ranks" 3 "${exec[@]}" --patience 300ms -- "${clients}pollers" ranks,four
for rank in 0 2 3; do
    reports "^    rank $rank  waits in cudaStreamQuery\(\) +$in_pollers"
done
reports ' in cudaStreamQuery at '"$in_pollers"' \(ranks 0, 2, 3\)(,|$)'
# A thread that has used no communicator and sleeps or waits hides no hang, if every rank is in a call or polls.
run "hang, helps" 3 "${exec[@]}" --patience 300ms -- "${clients}pollers" helps
reports '^  note  all threads wait, and nothing has changed for 300 ms \(--patience\); threads of a framework that watch others do not count'
run "hang, watched,helps" 3 "${exec[@]}" --patience 300ms -- "${clients}pollers" watched,helps
reports '^  note  all threads wait or poll, and'
for how in one many; do
    for who in naps naps,ranks,spins naps,watched reads,watched measured measured,watched; do
        run "hang, $who, $how" 3 "${exec[@]}" --processes $how --stall 1h --patience 300ms -- "${clients}pollers" "$who"
        reports '^HANG .*exec_pollers  2 ranks, sim, seed 0: likely, not certain$'
        reports '^  note .*; other threads, which have used no communicator, sleep or wait'
    done
done
run "hang as JSON" 3 env NCCLSCRIPT_PATIENCE=300ms "${exec[@]}" --format json -- "${clients}pollers" watched
reports '"verdict": "hang", "certainty": "likely"'
reports '"notes": \["all threads wait or poll, and'
run "hang without pollers" 3 "${exec[@]}" -- "${clients}pollers"
leaves_out 'seed 0: likely'
# It is certain that the two wait; which of them is wrong no run has tried.
reports '^  or    it could also be that rank 0 made (one call|too many calls) on comm1'
run "hang without pollers, as JSON" 3 "${exec[@]}" --format json -- "${clients}pollers"
reports '"alternatives": \[\{"rule": "extra-call"'

after_query=$(grep -n 'cudaGetLastError();' tests/exec/pollers.c | cut -d: -f1)
# Polling threads may still end the wait until the patience is over; the time limit holds all the same. So it does with
# a thread of which nobody can say that it will not come.
for who in watched watched,spins ranks,spins measured measured,watched; do
    run "time limit, $who" 124 "${exec[@]}" --timeout 300ms --patience 1h -- "${clients}pollers" "$who"
    reports '^TIMEOUT .*exec_pollers .* no call made progress(: its cause is likely, not certain)?$'
    reports '^    rank 0  in cudaStream(Query|Synchronize), comm1 call 2 \(AllReduce float32 x 8 sum\), for rank 1'
    leaves_out 'seed 0: likely'
    leaves_out "in [a-zA-Z]+, .*pollers\.c:$after_query\$" # the thread has made another call since its query
done
# A rank that waits in its own code may wait for a thread that rests, and one that works does not rest.
for who in sleeps,long sleeps,long,ranks,spins works works,watched; do
    run "time limit and patience, $who" 124 "${exec[@]}" --timeout 800ms --patience 100ms -- "${clients}pollers" "$who"
    leaves_out 'seed 0: likely'
done

# A thread that is in no call at all: it sleeps after its last call, or has made none.
run "time limit, asleep after the last call" 124 "${exec[@]}" --timeout 500ms -- "${clients}silent" after
reports '^TIMEOUT .*exec_silent  2 ranks, .* no call made progress$'
reports '^    rank 1  in its own code, and sleeps \(nanosleep\) +'"$in_silent"
run "time limit, no call" 124 "${exec[@]}" --timeout 300ms -- "${clients}silent" never
reports '^TIMEOUT .* no call of NCCL or CUDA was made$'
run "time limit, calls go on" 0 "${exec[@]}" --timeout 2s -- "${clients}silent" on
says '^silent: ok$'

# Programs that go on.
for how in one many; do
    for who in computes,watched computes,ranks sleeps,watched sleeps,ranks,spins; do
        run "late, $who, $how" 0 "${exec[@]}" --processes $how --stall 1h --patience 100ms -- "${clients}pollers" "$who"
        says '^pollers: ok$'
    done
done
run "the watchdog's own limit" 0 "${exec[@]}" -- "${clients}pollers" watched,recovers
says '^pollers: ok$'

run "a name that is empty" 124 "${exec[@]}" --timeout 200ms -- \
    bash -c 'exec -a "" "$0" asleep' "${clients}mistakes"
reports '^TIMEOUT  /.*/exec_mistakes  2 ranks'
finish "pollers"
