# Nothing of this has threads.
@ without-tsan

$ ncclscript explain
> usage: ncclscript explain [TOPIC]
>
> Findings
>   skipped-call <*>
> ...
> Groups of findings
> ...
> Words of the reports
> ...
> Functions, by their names in C or Lua: <*>

$ ncclscript explain skipped-call
> skipped-call: a rank skipped a call that the others made
>
> What happens
> ...
> Why
> ...
> How to see it
> ...
> How to repair it
> ...
> A scenario (hang, finding skipped-call)
>   scenario { ranks = 3 }
> ...
>   run it: ncclscript explain --scenario skipped-call | ncclscript run -
> ...

$ ncclscript explain --scenario skipped-call | ncclscript run -
> HANG  -  3 ranks, sim, seed 0
> ...
>   more  ncclscript explain skipped-call
? 3

$ ncclscript explain "Skipped call" | head -n 1
> skipped-call: <*>

$ ncclscript explain order
> order: <*>
>
>   swapped-calls <*>
> ...

$ ncclscript explain bystanders | head -n 1
> bystander: <*>

$ ncclscript explain skiped-call
! ncclscript explain: unknown topic `skiped-call`
! did you mean `skipped-call`? `ncclscript explain` lists all topics
? 2

$ ncclscript explain one two
! ncclscript explain: one topic at a time
! try `ncclscript explain --help`
? 2

$ ncclscript explain ncclInvalidUsage
> ncclInvalidUsage: result 5 of NCCL, <*>
>
> ...

# A number may be an exit status and a result.
$ ncclscript explain 6 | grep '^[a-z].*: '
> exit-6: exit status 6 of ncclscript, <*>
> ncclRemoteError: result 6 of NCCL, <*>
$ ncclscript explain --format json 3 | cut -c 1-90
> {"schema": "ncclscript.explain/1", "topic": "exit-3", "kind": "exit", "meaning": "hang: <*>
> {"schema": "ncclscript.explain/1", "topic": "ncclInternalError", "kind": "result", "meani<*>
$ ncclscript explain exit 3 | head -n 1; ncclscript explain exit-124 | head -n 1; ncclscript explain 124 | head -n 1
> exit-3: exit status 3 of ncclscript, hang: <*>
> exit-124: exit status 124 of ncclscript, past the time limit, or computing without end
> exit-124: exit status 124 of ncclscript, past the time limit, or computing without end
$ ncclscript explain exit | head -n 1
> exit-status: the exit status of the program
$ ncclscript explain exit 99
! ncclscript explain: one topic at a time
! try `ncclscript explain --help`
? 2

# Each that `--help` lists has a page.
$ for n in $(ncclscript help | sed -n '/^Exit status/,$s/^  \([0-9]*\) .*/\1/p'); do ncclscript explain exit $n; done | grep -c '^exit-[0-9]*: '
> 14

$ ncclscript explain 2 | tail -n 1
> The same number of CUDA is cudaErrorMemoryAllocation.

$ ncclscript explain 700 | head -n 1
> cudaErrorIllegalAddress: error 700 of CUDA, <*>

$ ncclscript explain ncclReduceScatter
> ncclReduceScatter: <*>
>
>   ncclResult_t ncclReduceScatter(sendbuff, recvbuff, recvcount, datatype, op, comm, stream)
>     sendbuff   const void *    memory that is read
> ...
>   in Lua     comm:reduce_scatter
>   since      NCCL 2.0.0
>   reference  NCCL user guide, Collective Communication Functions
> ...
> Does it wait?
> ...
> Threads
> ...
> Findings that name it
>   skipped-call <*>
> ...
> A scenario (pass)
> ...

$ ncclscript explain world:reduce_scatter | head -n 1
> ncclReduceScatter: <*>

$ ncclscript explain allreduce | head -n 1
> ncclAllReduce: <*>

$ ncclscript explain --format json skipped-call
> {"schema": "ncclscript.explain/1", "topic": "skipped-call", "kind": "class", <*>

$ ncclscript explain --scenario waiting
! ncclscript explain: the page of `waiting` has no scenario
! try `ncclscript explain --help`
? 2

$ ncclscript explain --scenario
! ncclscript explain: --scenario needs a topic
! try `ncclscript explain --help`
? 2

$ ncclscript explain ncclSned
! ncclscript explain: unknown topic `ncclSned`
! did you mean `ncclSend`? `ncclscript explain` lists all topics
? 2

# Words that people type lead to a page.
$ for word in avg average sum dtype bfloat16 expect deadlock race; do ncclscript explain $word | head -n 1; done
> operator: <*>
> operator: <*>
> operator: <*>
> dtype: <*>
> dtype: <*>
> expect: <*>
> verdict: <*>
> note: <*>
