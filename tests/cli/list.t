# Nothing of this has threads.
@ without-tsan

# Which scenarios there are: below scenarios/ where no operand says otherwise.
$ ncclscript list
> scenarios/bugs/order/fixed/skip.lua  no rank does (2 cases)
> scenarios/bugs/order/skip.lua        a rank skips a call (2 cases)
> scenarios/bugs/p2p/lucky.lua         two send first

$ ncclscript list pass.lua scenarios/bugs/p2p
> pass.lua                      <*>
> scenarios/bugs/p2p/lucky.lua  two send first

# What is true of each case under each policy.
$ ncclscript list --bugs scenarios/bugs/p2p
> {"schema": "ncclscript.bug/1", "scenario": "scenarios/bugs/p2p/lucky.lua", "name": null, "case": {}, "policy": "strict", "ranks": 2, "correct": false, "class": "p2p", "entry": "D2", "about": "two send first", "nccl": null, "thread": [], "twin": null, "truth": {"verdict": "hang", "rule": "p2p-cycle", "culprits": [0, 1], "comm": null, "call": null, "blocked": [], "findings": 1}}
> {"schema": "ncclscript.bug/1", "scenario": "scenarios/bugs/p2p/lucky.lua", "name": null, "case": {}, "policy": "typical", "ranks": 2, "correct": false, "class": "p2p", "entry": "D2", "about": "two send first", "nccl": null, "thread": [], "twin": null, "truth": {"verdict": "pass", "rule": "p2p-cycle", "culprits": [0, 1], "comm": null, "call": null, "blocked": [], "findings": 0}}

$ ncclscript list --bugs | grep -v p2p
> <*>"name": "who=0", "case": {"who": 0}, "policy": "strict", "ranks": 3, "correct": true, "class": "order", "entry": "A1", "about": "no rank does", <*>"twin": "scenarios/bugs/order/skip.lua", "truth": {"verdict": "pass", "rule": null, "culprits": [], "comm": null, "call": null, "blocked": [], "findings": 0}}
> ...
> <*>"name": "who=2", "case": {"who": 2}, "policy": "typical", "ranks": 3, "correct": false, "class": "order", "entry": "A1", "about": "a rank skips a call", <*>"c/d#2"], "twin": "scenarios/bugs/order/fixed/skip.lua", "truth": {"verdict": "hang", "rule": "skipped-call", "culprits": [2], "comm": "world", "call": 1, "blocked": [0, 1], "findings": 1}}

# What cannot be listed is told, the rest is listed.
$ ncclscript list pass.lua broken.lua absent/
> pass.lua  <*>
! broken.lua:3:11: error: unexpected symbol `=`, expected an expression
!     3 | local x = = 1
!       |           ^
! absent/: error: cannot be opened: No such file or directory
? 2

# Without scenarios in the working directory, those that come with the program are found beside it.
$ cd notation && ncclscript list --bugs | head -n 1 | cut -c -40
> {"schema": "ncclscript.bug/1", "scenario

# Who says nothing of itself has nothing there.
$ echo 'stream:sync()' >mute.lua; ncclscript list mute.lua pass.lua
> mute.lua
> pass.lua  <*>
$ ncclscript list --bugs mute.lua | head -n 1
> <*>"about": null, <*>
