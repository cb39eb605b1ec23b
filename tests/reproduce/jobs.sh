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

# A log shows no waits: the calls before the abort are over.
status "an abort" 3 "$NCCLSCRIPT" run -q --set bug=abort --dump calls "$work/calls" $job
status "an abort: diagnose" 3 "$NCCLSCRIPT" diagnose -q --scenario "$work/abort.lua" "$work/calls"
expect "an abort" "$work/err" 'its run ends as the record shows: hang: child-not-aborted, rank 5$'
status "an abort: run" 0 "$NCCLSCRIPT" run -q "$work/abort.lua"
finish "jobs"
