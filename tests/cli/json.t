@ jq
$ ncclscript run --format json hang.lua | jq -c '[.schema, .verdict, .exit, .findings[0].rule, .findings[0].culprits[0].rank, .findings[0].blocked]'
> ["ncclscript.report/1","hang",3,"skipped-call",2,[0,1,3]]

$ ncclscript run --format json suite | jq -c '[.scenario, .verdict, .as_expected, .exit]'
> ["suite/deeper/two.lua","hang",false,3]
> ["suite/one.lua","pass",true,0]
> ["suite/three.lua","hang",true,0]

$ ncclscript run --format json print.lua | jq -c .output
> ["[0] hello","[1] hello"]

$ ncclscript run --format json broken.lua 2>/dev/null | jq -c '[.verdict, .exit, .errors[0].kind, .errors[0].line]'
> ["invalid",2,"scenario",3]

$ ncclscript doctor --format json | jq -c '[.schema, .simulator.works, (.to_do | type)]'
> ["ncclscript.doctor/1",true,"array"]

# Ranks that disagreed, and no value that is wrong: the run is as certain as its finding.
$ ncclscript run --format json disagreed.lua | jq -c '[.verdict, .certainty, .exit, .wrong, .wrong_count], [.findings[0].rule, .findings[0].certainty]'
> ["wrong","undefined",1,[],0]
> ["op-mismatch","undefined"]
$ ncclscript explain verdict | grep -A1 'although no value is'
>   A run can be wrong although no value is wrong ("wrong": [] in JSON): ranks made calls that disagree,
>   such as two gathers in different order or reductions with different operators, and all of them went

# Findings that fail a run by --fail-on: the verdict stays.
$ for level in error undefined note; do ncclscript run --format json --fail-on $level race.lua cut_average.lua | jq -c '[.verdict, .as_expected, .exit, .fail_on, .failing]'; done
> ["pass",true,0,"error",[]]
> ["pass",true,0,"error",[]]
> ["pass",false,1,"undefined",["read-before-sync"]]
> ["pass",true,0,"undefined",[]]
> ["pass",false,1,"note",["read-before-sync"]]
> ["pass",false,1,"note",["integer-average"]]
