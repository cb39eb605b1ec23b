# Nothing of this has threads.
@ without-tsan

$ ncclscript explain
> usage: ncclscript explain [TOPIC]
>
> Topics
> ...
>   skipped-call  <*>
> ...

$ ncclscript explain skipped-call
> skipped-call: <*>
>
> ...

$ ncclscript explain skiped-call
! ncclscript explain: unknown topic `skiped-call`
! did you mean `skipped-call`? try `ncclscript explain --help`
? 2

$ ncclscript explain one two
! ncclscript explain: one topic at a time
! try `ncclscript explain --help`
? 2

$ ncclscript explain ncclInvalidUsage
> ncclInvalidUsage: result 5 of NCCL
>
> ...

$ ncclscript explain 6 | head -n 1
> ncclRemoteError: result 6 of NCCL

$ ncclscript explain ncclReduceScatter
> ncclReduceScatter: <*>
>
>   in C   ncclReduceScatter(sendbuff, recvbuff, recvcount, datatype, op, comm, stream)
>   in Lua comm:reduce_scatter
>   since  NCCL 2.0.0
>
> ...

$ ncclscript explain ncclSned
! ncclscript explain: unknown topic `ncclSned`
! did you mean `ncclSend`? try `ncclscript explain --help`
? 2
