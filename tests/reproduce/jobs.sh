#!/usr/bin/env bash
# Written scenarios of a training job, tensor parallel and data parallel, end as its runs do.
set -u
. "$(dirname "$0")/common.bash"
job=tests/doors/program.lua

# What the ranks that wait would do next is what others do, also those of sibling communicators; what one rank does last comes
# behind that.
status "a step left out" 3 "$NCCLSCRIPT" run -q --set bug=short --record "$work/short.lua" $job
expect "a step left out" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 5$'
status "a step left out: run" 0 "$NCCLSCRIPT" run -q "$work/short.lua"

# Also messages, to the partners that the rank had before, in groups.
status "a call on world left out" 3 "$NCCLSCRIPT" run -q --set bug=skip-world --record "$work/world.lua" $job
expect "a call on world left out" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 5$'
for kind in fr log calls; do
    status "a call on world left out, $kind" 3 "$NCCLSCRIPT" run -q --set bug=skip-world --dump $kind "$work/world.$kind" $job
    status "a call on world left out, $kind: diagnose" 3 "$NCCLSCRIPT" diagnose -q --scenario "$work/$kind.lua" "$work/world.$kind"
    expect "a call on world left out, $kind" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 5$'
done

# A rank does not make again what it has made in another order. Each rank of the cycle may be named.
status "two orders" 3 "$NCCLSCRIPT" run -q --set bug=swap --dump fr "$work/orders" $job
status "two orders: diagnose" 3 "$NCCLSCRIPT" diagnose -q --scenario "$work/orders.lua" "$work/orders"
expect "two orders" "$work/err" 'its run (hangs \(|ends as the record shows: hang: )comm-order, ranks '

# A log shows no waits: the calls before the abort are over.
status "an abort" 3 "$NCCLSCRIPT" run -q --set bug=abort --dump calls "$work/calls" $job
status "an abort: diagnose" 3 "$NCCLSCRIPT" diagnose -q --scenario "$work/abort.lua" "$work/calls"
expect "an abort" "$work/err" 'its run ends as the record shows: hang: child-not-aborted, rank 5$'
status "an abort: run" 0 "$NCCLSCRIPT" run -q "$work/abort.lua"
finish "jobs"
