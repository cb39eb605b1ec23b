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
