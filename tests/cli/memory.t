# The memory budget: what a run does that uses it up.
$ ncclscript run --memory 32M memory/grows.lua >out; status=$?; grep -E '^MEMORY|^  fix' out; exit $status
> MEMORY  memory/grows.lua  1 rank, sim, seed 0: the memory budget of 32 MiB (--memory) is used up
>   fix   --memory SIZE gives the run more than 32 MiB, if the host has it
? 7

$ ncclscript run --memory 64M --set n=1000 memory/grows.lua
> PASS  <*>

$ ncclscript run --memory 32M --format json memory/grows.lua | sed 's/.*"verdict": \("[a-z]*"\).*"exit": \([0-9]*\).*"reason": \("[^"]*"\).*/\1 \2 \3/'
> "memory" 7 "the memory budget of 32 MiB (--memory) is used up"

# It is each run's: those beside it and behind it have their own.
$ for j in 1 2; do ncclscript run -j $j --memory 32M memory/cases.lua | grep -E '^[A-Z0-9]'; done
> PASS  memory/cases.lua[n=1]  <*>
> MEMORY  memory/cases.lua[n=2]  2 ranks, sim, seed 0: the memory budget of 32 MiB (--memory) is used up
> PASS  memory/cases.lua[n=3]  <*>
> 3 cases of 1 scenario: 2 as expected, 1 unexpected (1 memory)
> PASS  memory/cases.lua[n=1]  <*>
> MEMORY  memory/cases.lua[n=2]  2 ranks, sim, seed 0: the memory budget of 32 MiB (--memory) is used up
> PASS  memory/cases.lua[n=3]  <*>
> 3 cases of 1 scenario: 2 as expected, 1 unexpected (1 memory)

$ ncclscript run -q --memory 32M memory/grows.lua memory/cases.lua | tail -n 1
> 4 cases of 2 scenarios: 2 as expected, 2 unexpected (2 memory)

# The options.
$ ncclscript run --memory 1M pass.lua
! ncclscript run: `--memory 1M`: expected a size of 16 MiB or more, as `512M` or `4G`
! try `ncclscript run --help`
? 2

$ ncclscript run --memory much pass.lua
! ncclscript run: `--memory much`: expected a size of 16 MiB or more, as `512M` or `4G`
! try `ncclscript run --help`
? 2

$ for c in run repl lesson check compare diagnose score; do ncclscript $c --help | grep -c -- '--memory SIZE'; done | sort | uniq -c | tr -s ' '
>  7 1

# Inputs without an end are not read to their end.
$ ncclscript score --memory 256M /dev/zero
! /dev/zero:1: error: a line of more than 64 MiB is no report
? 2

$ ncclscript diagnose --memory 32M /dev/zero
! ncclscript diagnose: the memory budget of 32 MiB (--memory) is used up
? 7

$ for c in run check convert lesson; do ncclscript $c /dev/zero 2>&1 | grep -o 'error: .*'; done
> error: the file is longer than 16 MiB
> error: the file is longer than 16 MiB
> error: the file is longer than 16 MiB
> error: the file is longer than 1 MiB

$ ncclscript repl --memory 256M </dev/zero
! ncclscript: a line of the input is longer than 16 MiB

$ ncclscript lesson --memory 32M memory/lesson.lua
! ncclscript: error: the lesson memory/lesson.lua uses up the memory budget of 32 MiB (--memory)
? 7

# Neither do a lesson's patterns, tables and loops go on for ever, whatever catches what.
$ for code in 'while true do pcall(function() while true do end end) end' 'while true do pcall(string.find, ("a"):rep(1 << 20), ".-.-.-b") end' 'return table.move'; do echo "$code" >lesson.lua; ncclscript lesson lesson.lua 2>&1 | cut -d: -f 2-; done
>  error: the lesson used up its instruction budget
>  error: the lesson used up its instruction budget
>  error: a lesson returns a table with title, ranks and steps

# Where the host itself has none, each allocation failing in its turn, that is all there is to say: no
# crash, no case that is lost. (A sanitizer needs more than any limit.)
$ run() { (ulimit -v $1; ncclscript run -k n=1 memory/short.lua >out 2>&1); echo $?; }; said() { case $2 in 0) grep -q ^PASS out;; 7) grep -qE '^MEMORY|no memory left|memory (of the host|budget)' out;; 127) grep -q 'shared librar' out;; *) false;; esac || { echo "$1: $2"; head -n 3 out; }; }; [ "$(run 4000000 2>/dev/null)" = 0 ] || exit 0; for v in $(seq 9000 500 24000); do said $v $(run $v); done

# Communicators that are made and destroyed all the time take no more than the journal's own room.
$ ncclscript run --memory 160M memory/communicators.lua
> PASS  <*>
