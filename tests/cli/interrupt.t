# ThreadSanitizer holds a signal back from a thread that is inside of Lua's library.
@ prompt-signals

# One interrupt is enough where a call does not end; the time that the run has to come back is the
# program's own.
$ ncclscript run --unsafe deaf.lua & until [ -e told ]; do sleep 0.1; done; kill -INT $!; wait $!
> INTERRUPTED  deaf.lua  2 ranks, sim, seed 0
! ncclscript run: --unsafe: scripts may run programs and use files
! ncclscript run: interrupted, and a rank does not come back from a call of Lua's: given up
? 130
