# Runs and their reports.
$ ncclscript run pass.lua
> PASS  pass.lua  4 ranks, sim, seed 0: 4 results verified, <*> calls

$ ncclscript run pass.lua -n 3 --policy typical --seed 5
> PASS  pass.lua  3 ranks, sim, typical, seed 5: 3 results verified, <*> calls

$ ncclscript run --no-verify pass.lua
> PASS  pass.lua  4 ranks, sim, seed 0: 0 results verified, 4 not verified, <*> calls
>   note  4 results not verified: verification is off
>   more  ncclscript explain unverified

$ ncclscript run -q pass.lua

# Where there is nothing to execute nothing was tried.
$ : >empty.lua; ncclscript run empty.lua
> EMPTY  empty.lua  2 ranks, sim, seed 0: nothing was executed
? 5
$ printf -- '-- later\nscenario {\n  ranks = 3, about = "steps) to come"\n};\n' >later.lua; ncclscript run -q later.lua pass.lua
> EMPTY  later.lua  3 ranks, sim, seed 0: nothing was executed
> 2 scenarios: 1 as expected, 1 unexpected (1 empty)
? 5
$ printf 'scenario: later\nsteps: []\n' >later.yaml; ncclscript run later.yaml
> EMPTY  later.yaml  2 ranks, sim, seed 0: nothing was executed
? 5
$ echo 'scenario { ranks = 3 } stream:sync()' >little.lua; ncclscript run -q little.lua

$ ncclscript run pass.lua --color always | cat -v
> ^[[1;32mPASS^[[0m  pass.lua  4 ranks, sim, seed 0: <*>

$ CLICOLOR_FORCE=1 ncclscript run pass.lua | cat -v
> ^[[1;32mPASS^[[0m  pass.lua  <*>

$ NO_COLOR=1 CLICOLOR_FORCE=1 ncclscript run pass.lua
> PASS  pass.lua  <*>

# The same seed gives the same bytes.
$ diff <(ncclscript run -v --seed 7 hang.lua) <(ncclscript run -v --seed 7 hang.lua)

$ diff <(ncclscript run -v hang.lua) <(ncclscript run -v --ranks-as thread hang.lua)

# What a seed has chosen can be chosen again.
$ ncclscript run -v --seed 7 hang.lua | sed -n 's/^  schedule //p' >seven; diff <(ncclscript run -v --seed 7 hang.lua) <(ncclscript run -v --schedule @seven hang.lua | sed 's/seed 0/seed 7/')

$ ncclscript run -q --seed 3 --schedule y1.c9 pass.lua
> INVALID  pass.lua  4 ranks, sim, seed 3
>   why   the schedule is not of this run: its choice 1 is `y1`, the run has to choose one of 4 contexts that are ready there
>   fix   replay it with <*>
? 2

$ ncclscript run --schedule 1.x pass.lua
> INVALID  pass.lua  <*>
>   why   schedule: `x` at character 3: expected choices <*>
>   fix   the kinds are c <*>
? 2

$ ncclscript run --schedule @nowhere pass.lua
! nowhere: error: cannot be opened: No such file or directory
? 2

$ ncclscript run --schedule @/dev/zero pass.lua
! /dev/zero: error: the file is longer than 16 MiB
? 2

$ ncclscript run hang.lua
> HANG  hang.lua  4 ranks, sim, seed 0
>   communicator world, call 3: AllReduce float32 x 1024 sum
>     rank 0  waits in stream:sync()  <*>  line 10
>     rank 1  waits in stream:sync()  <*>  line 10
>     rank 2  never made call 3<*>
>     rank 3  waits in stream:sync()  <*>  line 10
>   code  7 | world:all_reduce(x)
>         10 | stream:sync()
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at line 7
>   fix   <*>
>   tried with this one call inserted on rank 2 the run passes
>   more  ncclscript explain skipped-call
? 3

$ ncclscript run declared.lua
> PASS  declared.lua  4 ranks, sim, seed 0: hang as declared: skipped-call, rank 2

$ ncclscript run -v declared.lua
> PASS  declared.lua  4 ranks, sim, seed 0: hang as declared: skipped-call, rank 2
>   communicator world, call 3: AllReduce float32 x 1024 sum
> ...
>   waits
> ...
>   trace <*>, virtual time <*>, NCCL 2.32.3, strict policy

$ sed s/rank.==.2/false/ declared.lua >mended.lua; ncclscript run mended.lua
> FAIL  mended.lua  4 ranks, sim, seed 0: <*>
>   not as declared: <*>
? 1

$ ncclscript run wrong.lua
> WRONG  wrong.lua  2 ranks, sim, seed 0
>   expectations that failed
>     ranks 0, 1  sum: element 1: got 3, want 4 (4 of 4 differ)    line 6
? 1

# What ends a rank is told once.
$ echo 'scenario {} expect.that(rank == 0, "first", { fatal = true })' >fatal.lua; ncclscript run fatal.lua
> WRONG  fatal.lua  2 ranks, sim, seed 0
>     rank 1  first    line 1
>   code  1 | scenario {} expect.that(rank == 0, "first", { fatal = true })
? 1

$ ncclscript run error.lua
> ERROR  error.lua  2 ranks, sim, seed 0
>     rank 1  <*>ncclInvalidArgument<*>  line 4
> ...
>   rank 0 waits in <*> because rank 1 failed
> ...
? 4

$ ncclscript run broken.lua
! broken.lua:3<*>: error: <*>
!     3 | local x = = 1
! ...
? 2

$ ncclscript run key.lua
! key.lua:1:12: error: no such key 'rank'
!     1 | scenario { rank = 2 }
!       |            ^^^^
!   hint: did you mean 'ranks'?
? 2

$ ncclscript run print.lua
> [0] hello
> [1] hello
> <*>

$ ncclscript run --set word=bye -n 1 print.lua
> [0] bye
> <*>

$ ncclscript run --set wrod=bye print.lua
! <*>wrod<*>
! ...
? 2

$ ncclscript run -q suite
> HANG  suite/deeper/two.lua  4 ranks, sim, seed 0
> ...
> 3 scenarios: 2 as expected, 1 unexpected (1 hang)
? 3

$ ncclscript run suite/one.lua suite/three.lua
> PASS  suite/one.lua  <*>
> PASS  suite/three.lua  <*>
> 2 scenarios: 2 as expected

$ ncclscript run - <pass.lua
> PASS  -  4 ranks, sim, seed 0: <*>

# A call of Lua's that does not end: the run is given up, and what came before it is not lost.
$ mkfifo nobody_writes && ncclscript run --unsafe --timeout 2s pass.lua stuck.lua wrong.lua hang.lua
> PASS  pass.lua  <*>
> [0] before
> TIMEOUT  stuck.lua  2 ranks, sim, seed 0: no verdict within the time limit, a rank does not return from a call of Lua
> 4 scenarios: 1 as expected, 1 unexpected (1 timeout), 2 not run
! ncclscript run: --unsafe: <*>
! ncclscript run: stuck.lua: past the time limit, <*>: given up; not run: wrong.lua, hang.lua
? 124

$ ncclscript run --unsafe --format json --timeout 100ms stuck.lua
> {<*>"scenario": "stuck.lua"<*>"nccl": "2.32.3"<*>"verdict": "timeout"<*>"exit": 124<*>"about": "one call <*>"<*>}
! ncclscript run: --unsafe: <*>
! ncclscript run: stuck.lua: past the time limit, <*>: given up
? 124

# A line that is longer than all that a run keeps of what is printed.
$ ncclscript run long.lua
> PASS  long.lua  <*>
>   note  what the ranks printed is cut after 0 B: <*> MiB more are left out

# What the script did not look at ends it; what both ranks did is told once.
$ ncclscript run freed.lua
> ERROR  freed.lua  <*>
>     ranks 0, 1  end of script: cudaDeviceSynchronize: cudaErrorIllegalAddress: <*>
>   communicator world, call 1: AllReduce float32 x 8 sum
>     rank 0  touches memory <*>  line 5
>     rank 1  touches memory <*>  line 5
>   code  2 | local x = cuda.buffer("float32", 8)
>         4 | x:free()
>         5 | C.ncclAllReduce(<*>)
>   why   rank 0's AllReduce <*> freed at line 4 (cudaFree); the same on rank 1
>   fix   free it only <*>
>   more  ncclscript explain illegal-access
? 4

# Who waits for whom.
$ ncclscript run --format tree hang.lua pass.lua
> hang.lua: hang: <*>
>     rank <*>  <- cause: <*>
> ...
> pass.lua: pass
> 2 scenarios: <*>
? 3

$ ncclscript run --format dot hang.lua | head -n 2
> digraph waits {
>   label="hang.lua: hang: <*>";

$ ncclscript run --format dot pass.lua
> digraph waits {
>   label="pass.lua: pass";
>   labelloc=t; rankdir=LR; node [shape=box];
> }

# Lines of calls that were made in several files are quoted with their file.
$ ncclscript run layers/main.lua
> HANG  layers/main.lua  2 ranks, sim, seed 0: its cause is likely, not certain
>   communicator world, call 2: AllReduce float32 x 8 sum
>     rank 0  waits in stream:sync()         line 6
>     rank 1  never made call 2: finished    line 6
>   code  layer.lua:4 | if not skip then world:all_reduce(x, { label = "layer" }) end
>         main.lua:6 | stream:sync()
>   why   rank 1 made one call on world; rank 0 made 2: call 2 is at line 4 (layer)
>   or    it could also be that rank 0 <*>, if rank 1 made the calls that were meant; tried: with this one call left out on rank 0 the run passes
>   fix   let rank 1 make the call at line 4 too: every rank of a communicator makes the same calls in the same order
>   tried with this one call inserted on rank 1 the run passes
>   more  ncclscript explain skipped-call
? 3

# A wait for another stream than that of the call looks right and is not; a row says what the call does with its input.
$ printf 'scenario { ranks = 2 }\nlocal x, other = cuda.buffer("float32", 8):fill(1), cuda.stream()\nother:delay(1e-3)\nworld:all_reduce(x, { stream = other })\nstream:sync()\nexpect.equal(x, 2)\n' >stream.lua; ncclscript run stream.lua | grep -E '^  (undefined|fix)'
>   undefined NCCL promises nothing here, and machines differ
>   fix   call 1, which writes it at line 4, has not ended: line 5 waits for another stream: synchronize the stream of line 4 before line 6
$ printf 'scenario { ranks = 2 }\nlocal x, a, b = cuda.buffer("float32", 8), cuda.stream(), cuda.stream()\na:delay(1e-3)\nx:fill(2, { stream = a })\nworld:all_reduce(x, { stream = b })\na:sync() b:sync()\nexpect.equal(x, 4)\n' >input.lua; ncclscript run input.lua | grep -E 'rank 0|^  why'
>     rank 0  reads what line 4 writes    line 5
>   why   ranks 0, 1: call 1 on world (AllReduce float32 x 8 sum) at line 5 reads what line 4 writes in another stream, and nothing orders them: it may read too early

# The call that is left out again and again is named by its label.
$ printf 'scenario { ranks = 4 }\nlocal g = cuda.buffer("float32", 8)\nfor step = 1, 2 do\n  for l = 3, 1, -1 do\n    if rank ~= 2 or l ~= 1 then world:all_reduce(g, { label = "grad " .. l }) end\n  end\nend\nstream:sync()\n' >unused.lua; ncclscript run unused.lua | grep '^  why'
>   why   rank 2 made 4 calls on world; ranks 0, 1, 3 made 6: rank 2 skips calls 3, 6 at line 5 (grad 1)
? 0

# The row of a rank that skips calls counts them. What failed because of a hang comes behind its cause.
$ sed 's/{ ranks = 4 }/{ ranks = 4, about = "x" }/; $d' unused.lua >waits.lua; echo 'expect.equal(g, 99) expect.equal(g, 98) stream:sync()' >>waits.lua; ncclscript run waits.lua | grep -E 'rank 2  skipped|expectations failed'
>     rank 2  skipped 2 calls, made 4 of 6: finished    line 8
>   note  8 expectations failed, too: -v shows them
$ ncclscript run -v waits.lua | grep -c 'element 1: got'
> 2

# Of two orders of communicators one is the lone rank's.
$ printf 'scenario { ranks = 4, about = "x" }\nlocal a, b = world:split { color = 0 }, world:split { color = 0 }\nlocal x = cuda.buffer("float32", 8):fill(1)\nif rank == 0 then\n  b:all_reduce(x) stream:sync() a:all_reduce(x)\nelse\n  a:all_reduce(x) stream:sync() b:all_reduce(x)\nend\nstream:sync()\n' >orders.lua; ncclscript run orders.lua | grep -E '^  (why|fix)'
>   why   <*>; each waits for a call that another one makes later; rank 0 alone calls world/split2.0 first, ranks 1, 2, 3 call world/split1.0 first
>   fix   use the communicators in one order on every rank
