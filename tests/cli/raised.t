# What a rank raises itself is an error of the program, with its words and its place. The others' hang is
# what follows from it.
$ ncclscript run raised.lua
> ERROR  raised.lua  3 ranks, sim, seed 0
>     rank 2  boom    line 5
>   ranks 0, 1 wait in stream:sync at line 10 because rank 2 failed
>   communicator world, call 2: AllReduce float32 x 8 sum
>     rank 0  waits in stream:sync()                     line 10
>     rank 1  waits in stream:sync()                     line 10
>     rank 2  never made call 2: ended by error: boom    line 5
>   code  raises.lua:5 | error("boom")
>         raised.lua:9 | world:all_reduce(x)
>         raised.lua:10 | stream:sync()
>   why   rank 2 ended by error at line 5 before call 2 on world: boom; ranks 0, 1 wait for it in AllReduce float32 x 8 sum at line 9
>   fix   repair what failed at line 5; a rank that cannot go on has to have the communicator aborted on all ranks
>   more  ncclscript explain error-path
? 4

$ ncclscript run --format json raised.lua | jq -c '[.verdict, .certainty, .exit, .message], (.errors[] | [.rank, .kind, .file, .line, .message])'
> ["error","certain",4,"error: rank 2: raises.lua:5: boom"]
> [2,"lua","raises.lua",5,"boom"]

$ ncclscript run --format junit --no-times raised.lua | grep -E '<testsuite |<failure|<testcase'
>   <testsuite name="raised.lua" tests="1" failures="1" errors="0" skipped="0" time="0.000000">
>     <testcase classname="raised" name="raised" file="raised.lua" time="0.000000">
>       <failure message="error: rank 2: raises.lua:5: boom" type="error">ERROR  raised.lua  3 ranks, sim, seed 0

$ ncclscript run --format tap raised.lua | head -n 5
> TAP version 13
> not ok 1 - raised.lua
>   ---
>   message: "error: rank 2: raises.lua:5: boom"
>   verdict: "error"

$ ncclscript run --format tree raised.lua
> raised.lua: error: rank 2: raises.lua:5: boom
>     rank 2 never made call 2: ended by error: boom at line 5  <- cause: error-path
>     `- ranks 0, 1 wait in stream:sync at line 10 for world call 2, AllReduce float32 x 8 sum
? 4

# No other rank waits: the line is quoted all the same, with its file where there are several.
$ printf 'scenario {}\nlocal t = {}\nprint(t.a.b)\n' >nothing.lua; ncclscript run nothing.lua
> ERROR  nothing.lua  2 ranks, sim, seed 0
>     ranks 0, 1  attempt to index a nil value (field 'a')    line 3
>   code  3 | print(t.a.b)
? 4
$ printf 'scenario {}\nif rank == 1 then require("raises").boom() end\nlocal t\nt.x = 1\n' >both.lua; ncclscript run both.lua
> ERROR  both.lua  2 ranks, sim, seed 0
>     rank 0  attempt to index a nil value (local 't')    line 4
>     rank 1  boom                                        line 5
>   code  both.lua:4 | t.x = 1
>         raises.lua:5 | error("boom")
? 4

# error(text, 2) blames a caller, here in the other file.
$ printf 'local M = {}\nfunction M.need(x) if not x then error("need x", 2) end end\nreturn M\n' >needy.lua
$ printf 'scenario {}\nrequire("needy").need(nil)\nprint(1)\n' >needs_x.lua; ncclscript run --format tree needs_x.lua
> needs_x.lua: error: rank 0: needs_x.lua:2: need x
? 4

# Messages stay one line whatever is in them; a long one does not push the others' lines away.
$ printf 'scenario {}\nerror(rank == 0 and "a\\nb\\27[31m\\7" or ("E"):rep(200))\n' >odd.lua; ncclscript run odd.lua
> ERROR  odd.lua  2 ranks, sim, seed 0
>     rank 0  a b\x1b[31m\x07    line 2
>     rank 1  EEEEEEEE<*>EEEE    line 2
>   code  2 | error(rank == 0 and "a\nb\27[31m\7" or ("E"):rep(200))
? 4

# The others wait for the rank that failed, not for the first that did anything wrong.
$ printf 'scenario { ranks = 3 }\nlocal x = cuda.buffer("int8", 1):fill(1)\nif rank == 2 then spawn(function() error("in a worker") end) end\nworld:all_reduce(x) stream:sync()\nif rank == 0 then error("boom") end\nworld:all_reduce(x)\nstream:sync()\n' >worker.lua; ncclscript run worker.lua | head -n 5
> ERROR  worker.lua  3 ranks, sim, seed 0
>     rank 2  thread 1: in a worker    line 3
>     rank 0  boom                     line 5
>   rank 1 waits in stream:sync at line 7 because rank 0 failed
>   code  3 | if rank == 2 then spawn(function() error("in a worker") end) end

# What is caught is no verdict, and what is declared is the success.
$ printf 'scenario {}\npcall(error, "boom")\nstream:sync()\n' >caught.lua; ncclscript run caught.lua
> PASS  caught.lua  2 ranks, <*>
$ printf 'scenario { outcome = { error = "lua", rank = 1 } }\nif rank == 1 then error("boom") end\n' >expected.lua; ncclscript run expected.lua
> PASS  expected.lua  2 ranks, sim, seed 0: error as declared: lua, rank 1

# The border: what does not load or declare is 2, whatever a rank raises from its first statement on is 4.
$ printf 'scenario {}\nlocal x = = 1\n' >syntax.lua; ncclscript run syntax.lua 2>/dev/null
? 2
$ printf 'scenario { ranks = 1 + nil }\n' >declared_late.lua; ncclscript run declared_late.lua 2>/dev/null
? 2
$ printf 'scenario {}\nscenario {}\n' >twice.lua; ncclscript run twice.lua
> INVALID  twice.lua  2 ranks, sim, seed 0
>     ranks 0, 1  scenario: is declared twice    line 2
>   code  2 | scenario {}
? 2
$ printf 'local n = 1 + nil\nscenario {}\n' >first.lua; ncclscript run -q first.lua | head -n 1
> ERROR  first.lua  2 ranks, sim, seed 0
