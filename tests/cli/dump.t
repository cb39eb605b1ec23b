# What detectors of hangs read, from a run: a folder for each format.
$ ncclscript run --dump fr fr --dump fr-json frj --dump ras ras --dump log log --dump calls calls hang.lua | head -n 1
> HANG  hang.lua  4 ranks, sim, seed 0
$ ls fr frj ras log calls
> calls:
> nccl_calls_rank_0.log
> nccl_calls_rank_1.log
> nccl_calls_rank_2.log
> nccl_calls_rank_3.log
>
> fr:
> nccl_trace_rank_0
> nccl_trace_rank_1
> nccl_trace_rank_2
> nccl_trace_rank_3
>
> frj:
> nccl_trace_rank_0.json
> nccl_trace_rank_1.json
> nccl_trace_rank_2.json
> nccl_trace_rank_3.json
>
> log:
> nccl_log_rank_0.log
> nccl_log_rank_1.log
> nccl_log_rank_2.log
> nccl_log_rank_3.log
>
> ras:
> ncclras.json
$ for d in fr frj log calls; do ncclscript diagnose $d | grep '^  why'; done
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at hang.lua:7
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is missing
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at log/nccl_log_rank_0.log:6
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at calls/nccl_calls_rank_0.log:8
$ grep -o '"AllReduce": .' ras/ncclras.json
> "AllReduce": 3
> "AllReduce": 3
> "AllReduce": 2
> "AllReduce": 3
$ cat log/nccl_log_rank_2.log
> host0:2:0 [2] NCCL INFO ncclCommInitRank comm <*> - Init START
> host0:2:0 [2] NCCL INFO ncclCommInitRank comm <*> rank 2 nranks 4 cudaDev 2 <*> - Init COMPLETE
> host0:2:0 [2] NCCL INFO AllReduce: opCount 0 <*>
> host0:2:0 [2] NCCL INFO AllReduce: opCount 1 <*>

# Equal runs give equal bytes; a folder may be written again.
$ cp -r fr again; ncclscript run -q --dump fr fr hang.lua >/dev/null; diff -r fr again

# Of a run that passes, too; a rank that was killed leaves no dump, and counts as dead.
$ ncclscript run --dump fr passed pass.lua; ncclscript diagnose passed
> PASS  pass.lua  <*>
> PASS  passed  4 ranks, Flight Recorder dumps: <*>
$ ncclscript run -q --dump fr dead --dump ras deadras dump_killed.lua >/dev/null; ls dead; grep -c 'considered_dead": true' deadras/ncclras.json
> nccl_trace_rank_0
> nccl_trace_rank_1
> nccl_trace_rank_3
> 1
$ ncclscript diagnose dead | grep '^  more'
>   more  ncclscript explain rank-lost

# For one run. The folder must be there, or its parent.
$ ncclscript run --dump fr several hang.lua pass.lua
! ncclscript: error: --dump fr several is for one run, not for 2
!   hint: --list shows the names of all, and FILE[name=value] or -k chooses one
? 2
$ ncclscript run --dump fr pass.lua pass.lua
! ncclscript: error: --dump: a folder is expected, pass.lua is none
? 2
$ ncclscript run --dump fr no/where pass.lua
! ncclscript: error: --dump no/where: the folder no/ is expected: No such file or directory
? 2
$ ncclscript run --dump fr one --dump ras one pass.lua
! ncclscript: error: --dump: each format needs a folder of its own, one is named twice
? 2
$ ncclscript run --dump core one pass.lua
! ncclscript run: `--dump core`: expected `fr`, `fr-json`, `ras`, `log` or `calls`
! try `ncclscript run --help`
? 2
$ ncclscript run pass.lua --dump fr
! ncclscript run: `--dump fr`: expected DIR behind it
! try `ncclscript run --help`
? 2
$ ncclscript run --driver nccl --dump fr one pass.lua
! ncclscript: error: --dump is for --driver sim, this run is on nccl
? 2

# Nothing is replaced but regular files of the dump; parts of another dump are in the way.
$ ncclscript run -n 2 --dump fr fr pass.lua
> PASS  <*>
! fr/nccl_trace_rank_2: error: --dump: a part of another dump, which would be read with this one: nothing was written
!   hint: remove it, or name another folder
? 74
$ diff -r fr again
$ mkdir odd && ln -s ../pass.lua odd/nccl_trace_rank_1; ncclscript run --dump fr odd pass.lua; ls odd
> PASS  <*>
> nccl_trace_rank_1
! odd/nccl_trace_rank_1: error: --dump: it is no regular file: it was not replaced, and nothing written
$ ncclscript run --dump log late broken.lua 2>&1 | tail -n 1
> ncclscript run: nothing was run: late was not written

# What is read again, as a page. The time is the order of the calls.
$ ncclscript diagnose --html page.html --trace page.json fr | head -n 1
> HANG  fr  4 ranks, Flight Recorder dumps: likely, not certain
$ grep -o 'href="#b[0-9]*">[^<]*</a>[^<]*' page.html
> href="#b<*>">ranks 0, 1, 3</a> wait in ncclAllReduce() (hang.lua:7)
> href="#b<*>">rank 2</a> never made call 3: its dump ends with call 2 on world (hang.lua:7)
$ grep -o '"time":"[^"]*"' page.json; grep -c 'at":"hang.lua:7"' page.json
> "time":"order of calls"
> <*>
$ ncclscript diagnose --html - fr 2>/dev/null | head -n 1
> <!DOCTYPE html>
$ ncclscript diagnose --html x --trace x fr
! ncclscript diagnose: --html and --trace cannot both be written to x
! try `ncclscript diagnose --help`
? 2
$ ncclscript diagnose -q --html no/page.html passed
! no/page.html: error: cannot be written: No such file or directory
? 74
