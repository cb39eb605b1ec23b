# Findings that change no verdict fail a run where --fail-on asks for it: those of undefined behaviour and
# of luck, or all of them.
$ ncclscript run -q race.lua cut_average.lua
> 2 scenarios: 2 as expected
$ ncclscript run -q --fail-on error race.lua cut_average.lua
> 2 scenarios: 2 as expected

$ ncclscript run --fail-on undefined race.lua
> FAIL  race.lua  2 ranks, sim, seed 0: 2 results verified, <*> calls
> ...
>   more  ncclscript explain read-before-sync
>   fails read-before-sync (--fail-on undefined)
? 1
$ ncclscript run --fail-on undefined --set wait=true race.lua
> PASS  race.lua  <*>

$ ncclscript run -q --fail-on undefined race.lua cut_average.lua | tail -n 2
>   fails read-before-sync (--fail-on undefined)
> 2 scenarios: 1 as expected, 1 unexpected (1 by --fail-on)
$ ncclscript run -q --fail-on note race.lua cut_average.lua hang.lua | grep -E '^[A-Z]|fails|scenarios'
> FAIL  race.lua  <*>
>   fails read-before-sync (--fail-on note)
> FAIL  cut_average.lua  <*>
>   fails integer-average (--fail-on note)
> HANG  hang.lua  <*>
> 3 scenarios: 0 as expected, 3 unexpected (1 hang, 2 by --fail-on)
$ ncclscript run -q -j 2 --fail-on note race.lua cut_average.lua pass.lua | tail -n 1
> 3 scenarios: 1 as expected, 2 unexpected (2 by --fail-on)
$ ncclscript run --fail-on note --fail-fast race.lua pass.lua | tail -n 1
> 2 scenarios: 0 as expected, 1 unexpected (1 by --fail-on), 1 not run
$ ncclscript run --fail-on note --repeat 3 cut_average.lua | tail -n 3
> FAIL  cut_average.lua  3 runs, seeds 0..2: 0 as expected, 3 unexpected (3 by --fail-on)
>   pass  seeds 0..2
> 3 runs of 1 scenario: 0 as expected, 3 unexpected (3 by --fail-on)

# Works by luck: under the typical policy its sends fit into NCCL's buffers.
$ printf 'scenario {}\nlocal x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)\nfor i = 1, 2 do\n  if i == 1 then C.ncclGroupStart() end\n  world:send(x, 1 - rank) world:recv(y, 1 - rank)\n  if i == 1 then C.ncclGroupEnd() end\nend\nstream:sync()\n' >lucky.lua
$ ncclscript run -q --policy typical lucky.lua
$ ncclscript run -q --policy typical --fail-on undefined lucky.lua | grep -E '^FAIL|fails'
> FAIL  lucky.lua  <*>
>   fails p2p-cycle (--fail-on undefined)

# A scenario that declares its findings is as expected; so is one that declares a verdict but pass.
$ sed '1s/about/outcome = { pass = true, finding = "read-before-sync" }, about/' race.lua >declared_race.lua
$ sed '1s/about/outcome = { pass = true, finding = "integer-average" }, about/' cut_average.lua >declared_cut_average.lua
$ ncclscript run -q --fail-on note declared_race.lua declared_cut_average.lua
> 2 scenarios: 2 as expected
$ sed '1s/about/outcome = { pass = true, finding = "never-destroyed" }, about/' race.lua >declared_other.lua; ncclscript run --fail-on note declared_other.lua | tail -n 1
>   not as declared: <*>
$ sed 's/about = /outcome = { hang = true }, about = /' hang.lua >declared_hang.lua; grep -c 'hang = true' declared_hang.lua; ncclscript run -q --fail-on note declared_hang.lua
> 1

# What runs a case alone has the option, too.
$ printf 'scenario { matrix = { ranks = { 2, 3 } } }\nlocal x = cuda.buffer("int32", 1):fill(rank)\nworld:all_reduce(x, { op = "avg" })\nstream:sync()\n' >both.lua; ncclscript run -q --fail-on note both.lua | grep alone
>   alone ncclscript run --fail-on note 'both.lua[ranks=2]'

$ ncclscript run --fail-on notes race.lua
! ncclscript run: `--fail-on notes`: expected `error`, `undefined` or `note`
! did you mean `note`? try `ncclscript run --help`
? 2

$ ncclscript run --format tap --fail-on note race.lua cut_average.lua pass.lua | grep -E '^(not )?ok|^  message'
> not ok 1 - race.lua
>   message: "pass, but fails: read-before-sync (--fail-on note): <*>"
> not ok 2 - cut_average.lua
>   message: "pass, but fails: integer-average (--fail-on note): <*>"
> ok 3 - pass.lua
$ ncclscript run --format junit --fail-on note cut_average.lua pass.lua | grep -E '<testsuite |<failure|<testcase'
>   <testsuite name="cut_average.lua" tests="1" failures="1" errors="0" skipped="0" time=<*>>
>     <testcase classname="cut_average" name="cut_average" file="cut_average.lua" line="4" time=<*>>
>       <failure message="pass, but fails: integer-average (--fail-on note): <*>" type="integer-average">FAIL  <*>
>   <testsuite name="pass.lua" tests="1" failures="0" errors="0" skipped="0" time=<*>>
>     <testcase classname="pass" name="pass" file="pass.lua" time=<*>>
