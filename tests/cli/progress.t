# How far a suite is, on a terminal alone.
@ pseudo-terminals
$ script -qec 'ncclscript run -q --unsafe slow.lua' /dev/null | tr '\r' '\n' | sed 's/\x1b\[K/<erased>/'
> ncclscript run: --unsafe: scripts may run programs and use files
> ...
> 1 of 3  slow.lua[n=2]<erased>
> ...
> 2 of 3  slow.lua[n=3]<erased>
> <erased>3 cases of 1 scenario: 3 as expected
> ...

$ script -qec 'TERM=dumb ncclscript run -q --unsafe slow.lua' /dev/null | grep -c 'of 3  '
> 0
? 1

$ ncclscript run -q --unsafe slow.lua
> 3 cases of 1 scenario: 3 as expected
! ncclscript run: --unsafe: scripts may run programs and use files
