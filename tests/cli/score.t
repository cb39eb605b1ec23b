# Nothing of this has threads.
@ without-tsan

# Reports of our own.
$ for p in strict typical; do ncclscript run --format json --policy $p --repeat 2 scenarios/bugs; done >ours; ncclscript score --all ours
> 20 reports of 5 cases: 3 with a bug, 2 correct twins
>   verdict right       20 of 20  100.0 %, at least 100
>   class right         12 of 12  100.0 %, at least 98
>   exact culprit       12 of 12  100.0 %, at least 95
>   recall              12 of 12  100.0 %
>   false reports        0 of 8 reports of twins, none allowed
>   extra findings       0
> the bar is met

# Not all of them, which only --all minds; from standard input, for machines.
$ grep who ours | grep '"strict"' | ncclscript score --format json
> {"schema": "ncclscript.score/1", "reports": 8, "bugs": 2, "twins": 2, "others": 0, "skipped": 0, "missing": 0, "verdict": {"right": 8, "of": 8}, "class": {"right": 4, "of": 4}, "culprit": {"right": 4, "of": 4}, "recall": {"right": 4, "of": 4}, "false_reports": 0, "extra_findings": 0, "met": true, "entries": [{"entry": "A1", "reports": 8, "missed": 0, "first": null}]}
$ grep who ours | grep '"strict"' | ncclscript score --all
> 8 reports of 4 cases: 2 with a bug, 2 correct twins; 6 without a report
>   verdict right        8 of 14  57.1 %, at least 100
>   class right          4 of 8  50.0 %, at least 98
>   exact culprit        4 of 8  50.0 %, at least 95
>   recall               4 of 8  50.0 %
>   false reports        0 of 6 reports of twins, none allowed
>   extra findings       0
>   worst D2      2 of 2 not right: scenarios/bugs/p2p/lucky.lua strict: no report
>         A1      4 of 12 not right: scenarios/bugs/order/fixed/skip.lua[who=0] typical: no report
> the bar is not met
? 1

# Another tool's, in the least form: with a cause of another class, another culprit, one finding too many
# and a false report.
$ echo '{"scenario": "scenarios/bugs/order/skip.lua", "case": "who=0", "policy": "strict", "verdict": "hang", "findings": [{"rule": "extra-call", "culprits": [0]}]}' >theirs
$ echo '{"scenario": "/elsewhere/scenarios/bugs/order/skip.lua", "case": {"who": 2}, "policy": "strict", "verdict": "hang", "findings": [{"rule": "skipped-call", "culprits": [0, 1]}, {}]}' >>theirs
$ echo '{"scenario": "scenarios/bugs/order/fixed/skip.lua", "case": "who=2", "policy": "strict", "verdict": "pass", "findings": [{"rule": "order", "culprits": [], "level": "note"}]}' >>theirs
$ echo '{"scenario": "scenarios/bugs/p2p/lucky.lua", "policy": "typical", "verdict": "pass", "findings": []}' >>theirs
$ echo '{"scenario": "scenarios/bugs/p2p/lucky.lua", "policy": "strict", "verdict": "pass", "findings": [{"rule": "p2p-cycle", "culprits": [{"rank": 1}], "cycle": [1, 0]}]}' >>theirs
$ ncclscript score theirs
> 5 reports of 4 cases: 3 with a bug, 1 correct twin
>   verdict right        4 of 5  80.0 %, at least 100
>   class right          2 of 4  50.0 %, at least 98
>   exact culprit        2 of 4  50.0 %, at least 95
>   recall               3 of 4  75.0 %
>   false reports        1 of 1 reports of twins, none allowed
>   extra findings       1
>   worst A1      3 of 3 not right: scenarios/bugs/order/skip.lua[who=0] strict: rule skipped-call, got extra-call
>         D2      2 of 2 not right: scenarios/bugs/p2p/lucky.lua typical: rule p2p-cycle, got none
> the bar is not met
? 1

# What is no report is told with its line.
$ printf '\n{"scenario": "scenarios/bugs/p2p/lucky.lua", "policy": "strict", "verdict": "hangs", "findings": []}\n' | ncclscript score
! standard input:2: error: no verdict `hangs`: expected pass, wrong, hang, error, lost ...
!   hint: did you mean `hang`?
? 2
$ echo '{"policy": "strict"}' >bad; ncclscript score bad
! bad:1: error: `scenario`, `verdict` and `findings` are missing
! ...
!   hint: `ncclscript score --help` shows the least that a report has
? 2
$ echo '{"policy": "eager", "verdict": "hang", "case": [1], "findings": [{"rule": 1}], "scenario": ""}' | ncclscript score
! standard input:1: error: `case` must be a text such as "ranks=4", or an object of numbers, texts and booleans; no policy `eager`: expected strict or typical; `rule` must be a text
? 2

# All lines that are none.
$ printf '{"scenario": "nowhere.lua", "policy": "strict", "verdict": "hang", "findings": []}\nx\n[]\n' | ncclscript score
! standard input:1: error: there is no scenario `nowhere.lua` here
! standard input:2: error: no JSON: <*>
!   hint: one object per line, as `run --format json` prints them
! standard input:3: error: no JSON object
!   hint: one object per line, as `run --format json` prints them
? 2
$ seq 30 | ncclscript score 2>&1 | tail -n 1
> ncclscript score: and 10 more lines that are no report

# A run is counted once.
$ grep -h lucky ours | sed -n '1,2p' >lucky; cat lucky lucky | ncclscript score
! standard input:3: error: a second report of scenarios/bugs/p2p/lucky.lua strict seed 0, the first is in line 1
!   hint: one report for each case, policy and seed; name the seed of each run
! standard input:4: error: a second report of scenarios/bugs/p2p/lucky.lua strict seed 1, the first is in line 2
!   hint: one report for each case, policy and seed; name the seed of each run
? 2

# What declares no outcome has no truth to it, and is no bug.
$ echo '{"scenario": "pass.lua", "policy": "strict", "verdict": "pass", "findings": []}' | ncclscript score
! standard input:1: error: pass.lua declares no outcome: there is nothing to score a report against
!   hint: outcome = "pass" in scenario{} declares it correct
? 2
$ echo 'scenario { outcome = "pass" } stream:sync()' >fine.lua; ncclscript run --format json fine.lua | ncclscript score
> 1 report of 1 case: 0 with a bug, 0 correct twins, 1 declared to pass
>   verdict right        1 of 1  100.0 %, at least 100
>   class right          0 of 0, at least 98
>   exact culprit        0 of 0, at least 95
>   recall               0 of 0
>   false reports        0 of 0 reports of twins, none allowed
>   extra findings       0
> the bar is met
$ echo '{"scenario": "scenarios/bugs/p2p/lucky.lua", "policy": "eager", "verdict": "pass", "findings": []}' | ncclscript score
! standard input:1: error: no policy `eager`: expected strict or typical
? 2
$ echo '{"scenario": "scenarios/bugs/p2p/lucky.lua", "policy": "strict", "verdict": "hang", "findings": [{"culprits": [-1]}]}' | ncclscript score
! standard input:1: error: `culprits` must be a list of ranks, or of objects with `rank`
? 2
$ echo '{"scenario": "scenarios/bugs/order/skip.lua", "case": "who=1", "policy": "strict", "verdict": "hang", "findings": []}' | ncclscript score
! standard input:1: error: scenarios/bugs/order/skip.lua has no case `who=1`
!   hint: `ncclscript run --list scenarios/bugs/order/skip.lua` names them
? 2
$ echo '{"scenario": "nowhere.lua", "policy": "strict", "verdict": "hang", "findings": []}' | ncclscript score
! standard input:1: error: there is no scenario `nowhere.lua` here
? 2
$ echo 'PASS' | ncclscript score
! standard input:1: error: no JSON: <*>
!   hint: one object per line, as `run --format json` prints them
? 2
$ ncclscript score </dev/null
! ncclscript: error: there is no report to score
? 2
