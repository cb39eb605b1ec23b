# What is wrong with scenarios, without running them: all of a file in one go.

$ ncclscript check check/names.lua
> check/names.lua:4:16: error: no such field 'bufer' in cuda
>     4 | local x = cuda.bufer("float32", param.cuont)
>       |                ^^^^^
>   hint: did you mean 'buffer'?
> check/names.lua:4:39: error: no such field 'cuont' in param
>     4 | local x = cuda.bufer("float32", param.cuont)
>       |                                       ^^^^^
>   hint: did you mean 'count'?
> check/names.lua:5:7: error: no such field or method 'allreduce' in comm
>     5 | world:allreduce(x)
>       |       ^^^^^^^^^
>   hint: did you mean 'all_reduce'?
> check/names.lua:6:8: error: methods take a colon, not a dot
>     6 | stream.sync()
>       |        ^^^^
>   hint: write stream:sync(...)
> check/names.lua:7:1: error: no such global 'prnt'
>     7 | prnt(rank.x)
>       | ^^^^
>   hint: did you mean 'print'?
> check/names.lua:7:11: error: rank is a number and has no fields
>     7 | prnt(rank.x)
>       |           ^
> check/names.lua:8:1: error: 'total' would be a new global
>     8 | total = nccl.version()
>       | ^^^^^
>   hint: write local total = ...
> check/names.lua:9:6: error: nccl.group cannot be assigned
>     9 | nccl.group = print
>       |      ^^^^^
> check/names.lua:10:7: error: store takes a colon, not a dot
>    10 | store.get("key")
>       |       ^^^
>   hint: write store:get(...)
> check/names.lua:11:8: error: expect takes a dot, not a colon
>    11 | expect:that(true)
>       |        ^^^^
>   hint: write expect.that(...)
> check/names.lua:12:6: error: no such field 'flor' in math
>    12 | math.flor(1.5)
>       |      ^^^^
>   hint: did you mean 'floor'?
> check/names.lua:14:1: error: nranks is a number, not a function
>    14 | nranks()
>       | ^^^^^^
> check/names.lua:17:9: error: no such global 'prnt'
>    17 | f(x, _G.prnt)
>       |         ^^^^
>   hint: did you mean 'print'?
> check/part.lua:2:59: error: no such global 'rnk'
>     2 | function part.anything(...) return param.of_the_scenario, rnk, ... end
>       |                                                           ^^^
>   hint: did you mean 'rank'?
> check/part.lua:3:10: error: 'helper' would be a new global
>     3 | function helper() end
>       |          ^^^^^^
>   hint: write local helper = ...
> 2 files: 2 with errors
? 2

$ ncclscript check check/syntax.lua
> check/syntax.lua:3:8: error: unexpected symbol `!`, expected `then`: "not equal" is `~=` in Lua
>     3 |   if i != 2 then
>       |        ^
> 1 file: 1 with errors
? 2

$ ncclscript check check/open.lua
> check/open.lua:3:16: error: unexpected end of the text, expected `end`
>     3 |   print("é", i)
>       |                ^
> check/open.lua:2:1: note: it begins here
>     2 | for i = 1, 3 do
>       | ^^^
> 1 file: 1 with errors
? 2

$ ncclscript check check/declared.lua check/late.lua check/twice.lua
> check/declared.lua:2:12: error: ranks must be a whole number, got "two"
>     2 |   ranks = "two",
>       |            ^^^
> check/declared.lua:4:7: error: no such global 'rnk'
>     4 | print(rnk)
>       |       ^^^
>   hint: did you mean 'rank'?
> check/late.lua:2:1: error: scenario{} must be the first statement of the file
>     2 | scenario { ranks = 2 }
>       | ^^^^^^^^
> check/twice.lua:2:1: error: scenario{} is declared twice
>     2 | scenario { ranks = 4 }
>       | ^^^^^^^^
> 3 files: 3 with errors
? 2

$ ncclscript check check/wide.lua
> check/wide.lua:2:26: error: `x` is constant and cannot be assigned
>     2 |  local x <const> = "漢字"; x = 1 -- tabs and wide
>       |                            ^
> 1 file: 1 with errors
? 2

$ ncclscript check check/good.lua
> 1 file: 0 with errors

$ ncclscript check -q check/good.lua suite

# What it requires is checked too, once; standard input, folders.
$ ncclscript check check/names.lua check/part.lua | tail -n 1
> 2 files: 2 with errors

$ ncclscript check - <check/open.lua
> -:3:16: error: unexpected end of the text, expected `end`
>     3 |   print("é", i)
>       |                ^
> -:2:1: note: it begins here
>     2 | for i = 1, 3 do
>       | ^^^
> 1 file: 1 with errors
? 2

$ ncclscript check suite
> 3 files: 0 with errors

$ ncclscript check --set count=no check/good.lua
> check/good.lua:1:34: error: parameter `count`: `no`: expected an integer
>     1 | scenario { ranks = 2, params = { count = 8 } }
>       |                                  ^^^^^
> 1 file: 1 with errors
? 2

$ ncclscript check nothere.lua check/good.lua
> nothere.lua: error: cannot be opened: No such file or directory
> 2 files: 1 with errors
? 2

$ mkdir empty && ncclscript check empty
! ncclscript check: nothing was checked: no scenarios there
? 2

$ ncclscript check
! ncclscript check: no scenario was given
! try `ncclscript check --help`
? 2

# For programs: an object for each file.
$ ncclscript check --format json check/open.lua check/good.lua nothere.lua
> {"schema":"ncclscript.check/1","file":"check/open.lua","errors":1,"complaints":[{"level":"error","line":3,"column":16,"text":"unexpected end of the text, expected `end`","hint":null,"note":{"line":2,"column":1,"text":"it begins here"}}]}
> {"schema":"ncclscript.check/1","file":"check/good.lua","errors":0,"complaints":[]}
> {"schema":"ncclscript.check/1","file":"nothere.lua","errors":1,"complaints":[{"level":"error","line":null,"column":null,"text":"cannot be opened: No such file or directory","hint":null,"note":null}]}
? 2

# What needs --unsafe is an error without it.
$ ncclscript check deaf.lua
> deaf.lua:3:3: error: no such global 'io'
>     3 |   io.open("told", "w"):close()
>       |   ^^
>   hint: closed to scenarios, --unsafe opens it
> 1 file: 1 with errors
? 2

$ ncclscript check --unsafe deaf.lua
> 1 file: 0 with errors

# An error of syntax has its place in a run too.
$ ncclscript run broken.lua
! broken.lua:3:11: error: unexpected symbol `=`, expected an expression
!     3 | local x = = 1
!       |           ^
? 2
