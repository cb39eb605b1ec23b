# Standard output that cannot be written.
$ ncclscript --help >/dev/full
! ncclscript: cannot write the output: No space left on device
? 74

# Whatever the format and the verdict: who takes what is there for all of it would be wrong.
$ for f in text json junit tap tree dot; do ncclscript run --format $f hang.lua pass.lua >/dev/full; echo $?; done 2>&1 | sort | uniq -c | tr -s ' '
>  6 74
>  6 ncclscript: cannot write the output: No space left on device
$ ncclscript list scenarios >/dev/full 2>&1; ncclscript explain stream >/dev/full 2>&1 || echo $?
> 74

# NCCL's log goes into a file of its own; the report is whole without it.
$ NCCL_DEBUG=INFO NCCL_DEBUG_FILE=/dev/full ncclscript run pass.lua
> PASS  pass.lua  <*>
! ncclscript: cannot write NCCL's log to /dev/full: No space left on device
? 74
$ NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nowhere/log ncclscript run -q pass.lua
! ncclscript: NCCL_DEBUG_FILE: nowhere/log: No such file or directory

# A reader that is gone ends the program as it ends others, without a word.
$ exec 7> >(true); wait $!; ncclscript --help >&7
? 141
