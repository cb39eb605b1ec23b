# Nothing of this has threads.
@ without-tsan

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
> 15 errors in 2 files
? 2

$ ncclscript check check/syntax.lua
> check/syntax.lua:3:8: error: unexpected symbol `!`, expected `then`: "not equal" is `~=` in Lua
>     3 |   if i != 2 then
>       |        ^
> 1 error in 1 file
? 2

$ ncclscript check check/open.lua
> check/open.lua:3:16: error: unexpected end of the text, expected `end`
>     3 |   print("é", i)
>       |                ^
> check/open.lua:2:1: note: it begins here
>     2 | for i = 1, 3 do
>       | ^^^
> 1 error in 1 file
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
> 4 errors in 3 files
? 2

$ ncclscript check check/wide.lua
> check/wide.lua:2:26: error: `x` is constant and cannot be assigned
>     2 |  local x <const> = "漢字"; x = 1 -- tabs and wide
>       |                            ^
> 1 error in 1 file
? 2

$ ncclscript check check/good.lua
> no errors in 1 file

$ ncclscript check -q check/good.lua suite

# What it requires is checked too, once; standard input, folders.
$ ncclscript check check/names.lua check/part.lua | tail -n 1
> 15 errors in 2 files

$ ncclscript check - <check/open.lua
> -:3:16: error: unexpected end of the text, expected `end`
>     3 |   print("é", i)
>       |                ^
> -:2:1: note: it begins here
>     2 | for i = 1, 3 do
>       | ^^^
> 1 error in 1 file
? 2

$ ncclscript check suite
> no errors in 3 files

$ ncclscript check --set count=no check/good.lua
> check/good.lua:1:34: error: parameter `count`: `no`: expected an integer
>     1 | scenario { ranks = 2, params = { count = 8 } }
>       |                                  ^^^^^
> 1 error in 1 file
? 2

$ ncclscript check nothere.lua check/good.lua
> nothere.lua: error: cannot be opened: No such file or directory
> 1 error in 1 of 2 files
? 2

$ mkdir empty && ncclscript check empty
! ncclscript check: nothing was checked: no scenarios (*.lua, *.yaml) there
? 5

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
> deaf.lua:2:4: error: no such field 'execute' in os
>     2 | os.execute("exec sleep 60 >told 2>&1") -- its wait begins anew after a signal, and SIGINT it keeps away
>       |    ^^^^^^^
>   hint: closed to scenarios, --unsafe opens it
> 1 error in 1 file
? 2

$ ncclscript check --unsafe deaf.lua
> no errors in 1 file

# An error of syntax has its place in a run too.
$ ncclscript run broken.lua
! broken.lua:3:11: error: unexpected symbol `=`, expected an expression
!     3 | local x = = 1
!       |           ^
? 2

# Calls that cannot be made, rank by rank; what C lets through; what only a run knows is no error.
$ ncclscript check check/cannot.lua
> check/cannot.lua:3:40: error: rank 0: broadcast: no option 'rot'
>     3 | if rank == 0 then world:broadcast(x, { rot = 1 })
>       |                                        ^^^
>   hint: did you mean 'root'?
> check/cannot.lua:4:44: error: rank 1: ncclBroadcast: ncclInvalidArgument: root = 4: world has ranks 0 to 3
>     4 | elseif rank == 1 then world:broadcast(x, { root = 4 })
>       |                                            ^^^^
> check/cannot.lua:5:29: error: rank 2: reduce_scatter: 6 elements cannot be divided among 4 ranks
>     5 | elseif rank == 2 then world:reduce_scatter(x)
>       |                             ^^^^^^^^^^^^^^
> check/cannot.lua:6:8: error: rank 3: no such field or method 'fil' in buffer
>     6 | else x:fil(2) end
>       |        ^^^
>   hint: did you mean 'fill'?
> 4 errors in 1 file
? 2

$ ncclscript check check/raw.lua
> check/raw.lua:3:31: error: count 8 for each rank is beyond the receive buffer, which has room for 4
>     3 | C.check(C.ncclAllGather(x, x, 8, C.ncclFloat32, world, stream))
>       |                               ^
> check/raw.lua:5:49: error: ncclBroadcast: ncclInvalidArgument: root = 9: world has ranks 0 to 1
>     5 | C.check(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 9, world, stream))
>       |                                                 ^
> 2 errors in 1 file
? 2

$ ncclscript check check/values.lua
> no errors in 1 file

# The number of ranks decides.
$ ncclscript check -n 6 check/cannot.lua
> check/cannot.lua:3:40: error: rank 0: broadcast: no option 'rot'
>     3 | if rank == 0 then world:broadcast(x, { rot = 1 })
>       |                                        ^^^
>   hint: did you mean 'root'?
> check/cannot.lua:6:8: error: ranks 3, 4, 5: no such field or method 'fil' in buffer
>     6 | else x:fil(2) end
>       |        ^^^
>   hint: did you mean 'fill'?
> 2 errors in 1 file
? 2

# The plan: ranks that do the same stand together.
$ ncclscript check --plan check/plan.lua
> check/plan.lua: 4 ranks
>   rank 0
>     line    2  cudaMalloc 4096 B: buffer 1
>     line    2  cudaMemcpy 4096 B from host memory to buffer 1
>     line    3  ncclCommSplit world color 0 key 0
>     line    4  cudaStreamCreateWithFlags
>     line    5  world/split1.0: AllReduce float32 x 1024 max, buffer 1 in place, stream 1
>     line    6  ncclGroupStart
>     line    7    world: Send float32 x 8 to 1, buffer 1, stream 2
>     line    8    world: Recv float32 x 8 from 3, into buffer 1, stream 2
>     line    6  ncclGroupEnd
>     line   10  cudaStreamSynchronize stream 2
>     line   12  world: Broadcast float32 x 4 root 0, buffer 1 in place, stream 1, 3 times
>   rank 1
>     line    2  cudaMalloc 4096 B: buffer 1
>     line    2  cudaMemcpy 4096 B from host memory to buffer 1
>     line    3  ncclCommSplit world color 0 key 0
>     line    4  cudaStreamCreateWithFlags
>     line    5  world/split1.0: AllReduce float32 x 1024 max, buffer 1 in place, stream 1
>     line    6  ncclGroupStart
>     line    7    world: Send float32 x 8 to 2, buffer 1, stream 2
>     line    8    world: Recv float32 x 8 from 0, into buffer 1, stream 2
>     line    6  ncclGroupEnd
>     line   10  cudaStreamSynchronize stream 2
>   rank 2
>     line    2  cudaMalloc 4096 B: buffer 1
>     line    2  cudaMemcpy 4096 B from host memory to buffer 1
>     line    3  ncclCommSplit world color 1 key 0
>     line    4  cudaStreamCreateWithFlags
>     line    5  world/split1.1: AllReduce float32 x 1024 max, buffer 1 in place, stream 1
>     line    6  ncclGroupStart
>     line    7    world: Send float32 x 8 to 3, buffer 1, stream 2
>     line    8    world: Recv float32 x 8 from 1, into buffer 1, stream 2
>     line    6  ncclGroupEnd
>     line   10  cudaStreamSynchronize stream 2
>   rank 3
>     line    2  cudaMalloc 4096 B: buffer 1
>     line    2  cudaMemcpy 4096 B from host memory to buffer 1
>     line    3  ncclCommSplit world color 1 key 0
>     line    4  cudaStreamCreateWithFlags
>     line    5  world/split1.1: AllReduce float32 x 1024 max, buffer 1 in place, stream 1
>     line    6  ncclGroupStart
>     line    7    world: Send float32 x 8 to 0, buffer 1, stream 2
>     line    8    world: Recv float32 x 8 from 2, into buffer 1, stream 2
>     line    6  ncclGroupEnd
>     line   10  cudaStreamSynchronize stream 2
> no errors in 1 file

$ ncclscript check --plan check/values.lua
> check/values.lua:9:50: warning: copy_from: count 8 is more than the buffers hold: 4 to 3 elements
>     9 | local y = cuda.buffer("int32", n):copy_from(x, { count = 8 })
>       |                                                  ^^^^^
>   hint: this may depend on a value that only a run knows
> check/values.lua: 2 ranks
>   ranks 0, 1
>     line    2  cudaMalloc 16 B: buffer 1
>     line    2  cudaMemcpy 16 B from host memory to buffer 1
>     line    3  cudaMemcpy 4 B from buffer 1 to host memory
>     line    4  world: AllReduce int32 x 4 sum, buffer 1 in place, stream 1
>     line    5  cudaMemcpy 8 B from host memory to buffer 1
>     line    6  cudaMemcpy 4 B from buffer 1 to host memory
>     line    7  cudaMemcpy 4 B from buffer 1 + 12 B to host memory, values that only a run knows
>     line    9  cudaMalloc 12 B: buffer 2
>     line    9  stops with an error: copy_from: count 8 is more than the buffers hold: 4 to 3 elements
> no errors in 1 file

$ ncclscript check --plan check/known.lua
> check/known.lua: 2 ranks
>   ranks 0, 1
>     line    2  cudaMalloc 32 B: buffer 1
>     line    2  cudaMemcpy 32 B from host memory to buffer 1
>     line    3  cudaMalloc 32 B: buffer 2
>     line    3  cudaMemcpy 32 B from host memory to buffer 2
>     line    4  world: AllReduce int32 x 8 sum, buffer 1 in place, stream 1
>     line    5  cudaStreamSynchronize stream 1
>     line    6  cudaMemcpy 8 B from host memory to buffer 1 + 8 B
>     line    7  cudaMemcpy 4 B from buffer 1 + 4 B to host memory, values that only a run knows
>     line    8  cudaMemcpy 4 B from buffer 1 + 8 B to host memory
>     line    8  cudaMemcpy 4 B from buffer 1 + 12 B to host memory
>     line    9  cudaMemcpy 4 B from buffer 1 + 16 B to host memory, values that only a run knows
>     line   10  cudaMemcpy 8 B from buffer 1 + 8 B to buffer 2
>     line   10  cudaStreamSynchronize legacy stream
>     line   11  cudaMemcpy 4 B from buffer 1 + 16 B to buffer 2 + 8 B
>     line   11  cudaStreamSynchronize legacy stream
>     line   12  cudaMemcpy 4 B from buffer 2 + 4 B to host memory
>     line   12  cudaMemcpy 4 B from buffer 2 + 28 B to host memory
>     line   13  cudaMemcpy 4 B from buffer 2 + 8 B to host memory, values that only a run knows
>     line   14  ncsAdd buffer 2 + 12 B buffer 1 + 12 B x 5 int32 legacy stream
>     line   14  cudaStreamSynchronize legacy stream
>     line   15  cudaMemcpy 4 B from buffer 2 + 28 B to host memory, values that only a run knows
> no errors in 1 file

# Each rank has what it alone knows.
$ ncclscript check --plan check/known_apart.lua
> check/known_apart.lua: 2 ranks
>   rank 0
>     line    2  cudaMalloc 32 B: buffer 1
>     line    2  cudaMemcpy 32 B from host memory to buffer 1
>     line    3  cudaMemcpy 4 B from host memory to buffer 1
>     line    3  world: Gather int32 x 1 root 1, buffer 1 to NULL, stream 1
>     line    4  cudaMemcpy 4 B from buffer 1 to host memory
>     line    5  ncclMemAlloc 16 B: buffer 2
>     line    5  cudaMemcpy 16 B from host memory to buffer 2
>     line    6  ncclCommWindowRegister world buffer 2 16 B winFlags 1
>     line    7  cudaMemcpy 4 B from buffer 2 to host memory
>     line    9  world: PutSignal int32 x 1 to 1, buffer 2, stream 1
>     line   10  world: WaitSignal from 1, stream 1
>     line   11  cudaStreamSynchronize stream 1
>     line   12  cudaMemcpy 4 B from buffer 2 + 4 B to host memory, values that only a run knows
>   rank 1
>     line    2  cudaMalloc 32 B: buffer 1
>     line    2  cudaMemcpy 32 B from host memory to buffer 1
>     line    3  cudaMemcpy 4 B from host memory to buffer 1
>     line    3  world: Gather int32 x 1 root 1, buffer 1 in place, stream 1
>     line    4  cudaMemcpy 4 B from buffer 1 to host memory, values that only a run knows
>     line    5  ncclMemAlloc 16 B: buffer 2
>     line    5  cudaMemcpy 16 B from host memory to buffer 2
>     line    6  ncclCommWindowRegister world buffer 2 16 B winFlags 1
>     line    7  cudaMemcpy 4 B from buffer 2 to host memory
>     line    9  world: PutSignal int32 x 1 to 0, buffer 2, stream 1
>     line   10  world: WaitSignal from 0, stream 1
>     line   11  cudaStreamSynchronize stream 1
>     line   12  cudaMemcpy 4 B from buffer 2 + 4 B to host memory, values that only a run knows
> no errors in 1 file

$ ncclscript check --plan --format json check/good.lua
> {"schema":"ncclscript.check/1","file":"check/good.lua","errors":0,"complaints":[],"plans":[{"case":null,"ranks":2,"end":null,"plan":[{"ranks":[0,1],"calls":[{"line":2,"thread":0,"times":1,"unknown":false,"text":"cudaMalloc 32 B: buffer 1"},{"line":2,"thread":0,"times":1,"unknown":false,"text":"cudaMemcpy 32 B from host memory to buffer 1"},{"line":3,"thread":0,"times":1,"unknown":false,"text":"world: AllReduce float32 x 8 sum, buffer 1 in place, stream 1"}]}]}]}

# It ends where nothing can be told any more.
$ ncclscript check --plan check/alone.lua check/endless.lua check/real.lua
> check/alone.lua: 3 ranks
>   ranks 0, 1
>     line    3  waits in store:get for rank 2: the plan ends here
>   rank 2
>     no calls
> check/endless.lua: 2 ranks
>   ranks 0, 1
>     line    2  cudaMalloc 32 B: buffer 1
>     line    2  cudaMemcpy 32 B from host memory to buffer 1
>     line    2  world: AllReduce float32 x 8 sum, buffer 1 in place, stream 1
>   the plan ends early: rank 1 computes too long for a plan, at line 3
> check/real.lua: no plan: needs driver `nccl`, this run is on `sim`
> no errors in 3 files

$ ncclscript check --plan check/declared_error.lua check/skipped.lua
> check/declared_error.lua: 2 ranks
>   ranks 0, 1
>     line    2  cudaMalloc 32 B: buffer 1
>     line    2  cudaMemcpy 32 B from host memory to buffer 1
>     line    3  world: Broadcast float32 x 8 root 9, buffer 1 in place, stream 1: fails with ncclInvalidArgument: root = 9: world has ranks 0 to 1
>     line    3  stops with an error: ncclBroadcast: ncclInvalidArgument: root = 9: world has ranks 0 to 1
> check/skipped.lua: 2 ranks
>   ranks 0, 1
>     no calls
>   the plan ends early: no need
> no errors in 2 files

# Each case of a matrix has its plan.
$ ncclscript check --plan check/cases.lua
> check/cases.lua:5:7: error: [ranks=4,count=6] reduce_scatter: 6 elements cannot be divided among 4 ranks
>     5 | world:reduce_scatter(cuda.buffer("float32", param.count):fill(1))
>       |       ^^^^^^^^^^^^^^
> check/cases.lua[ranks=2,count=6]: 2 ranks
>   rank 0
>     line    5  cudaMalloc 24 B: buffer 1
>     line    5  cudaMemcpy 24 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 3 sum, buffer 1 in place, stream 1
>   rank 1
>     line    5  cudaMalloc 24 B: buffer 1
>     line    5  cudaMemcpy 24 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 3 sum, buffer 1 to buffer 1 + 12 B, stream 1
> check/cases.lua[ranks=2,count=8]: 2 ranks
>   rank 0
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 4 sum, buffer 1 in place, stream 1
>   rank 1
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 4 sum, buffer 1 to buffer 1 + 16 B, stream 1
> check/cases.lua[ranks=4,count=6]: 4 ranks
>   ranks 0..3
>     line    5  cudaMalloc 24 B: buffer 1
>     line    5  cudaMemcpy 24 B from host memory to buffer 1
>     line    5  stops with an error: reduce_scatter: 6 elements cannot be divided among 4 ranks
> check/cases.lua[ranks=4,count=8]: 4 ranks
>   rank 0
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 2 sum, buffer 1 in place, stream 1
>   rank 1
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 2 sum, buffer 1 to buffer 1 + 8 B, stream 1
>   rank 2
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 2 sum, buffer 1 to buffer 1 + 16 B, stream 1
>   rank 3
>     line    5  cudaMalloc 32 B: buffer 1
>     line    5  cudaMemcpy 32 B from host memory to buffer 1
>     line    5  world: ReduceScatter float32 x 2 sum, buffer 1 to buffer 1 + 24 B, stream 1
> 1 error in 1 file
? 2

$ ncclscript check check/cases.lua[ranks=4,count=8]
> no errors in 1 file

$ ncclscript check check/cases.lua[ranks=3]
> check/cases.lua: error: has no case [ranks=3]
>   hint: `ncclscript run --list check/cases.lua` names them
> 1 error in 1 file
? 2

# Ranks are told in their order, whoever comes first.
$ ncclscript check -q check/later.lua
> check/later.lua:3:18: error: ranks 0, 1: cuda.buffer: count must be 0 or more, got -1
>     3 | if rank < 2 then cuda.buffer("float32", -1) end
>       |                  ^^^^
? 2

# What one rank reads is no excuse for another, unless the one may have been told by it.
$ ncclscript check -q check/mine.lua
> check/mine.lua:11:5: error: rank 2: slice: <*>
> ...
? 2

$ ncclscript check -q check/mine.lua --set shared=true

# A name that is close to a ready-made object.
$ printf 'strem:sync()\n' | ncclscript check -
> -:1:1: error: no such global 'strem'
>     1 | strem:sync()
>       | ^^^^^
>   hint: did you mean 'stream'?
> 1 error in 1 file
? 2
