# run --draw: who holds what before and after, for each collective and several numbers of ranks.

$ ncclscript run --draw -n 2 --set what=all_reduce --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┬─sum─┬─▶│ 12 │ 14 │
>   rank 1  │ 11 │ 12 │──┘     └─▶│ 12 │ 14 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 3 --set what=all_reduce --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┐     ┌─▶│ 33 │ 36 │
>   rank 1  │ 11 │ 12 │──┼─sum─┼─▶│ 33 │ 36 │
>   rank 2  │ 21 │ 22 │──┘     └─▶│ 33 │ 36 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw -n 4 --set what=all_reduce --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┐     ┌─▶│ 64 │ 68 │
>   rank 1  │ 11 │ 12 │──┼─sum─┼─▶│ 64 │ 68 │
>   rank 2  │ 21 │ 22 │──┤     ├─▶│ 64 │ 68 │
>   rank 3  │ 31 │ 32 │──┘     └─▶│ 64 │ 68 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 49 calls

$ ncclscript run --draw -n 8 --set what=all_reduce --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌─────┬─────┐
>   rank 0  │  1 │  2 │──┐     ┌─▶│ 288 │ 296 │
>   rank 1  │ 11 │ 12 │──┤     ├─▶│ 288 │ 296 │
>   rank 2  │ 21 │ 22 │──┤     ├─▶│ 288 │ 296 │
>   rank 3  │ 31 │ 32 │──┼─sum─┼─▶│ 288 │ 296 │
>   rank 4  │ 41 │ 42 │──┤     ├─▶│ 288 │ 296 │
>   rank 5  │ 51 │ 52 │──┤     ├─▶│ 288 │ 296 │
>   rank 6  │ 61 │ 62 │──┤     ├─▶│ 288 │ 296 │
>   rank 7  │ 71 │ 72 │──┘     └─▶│ 288 │ 296 │
>           └────┴────┘           └─────┴─────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 97 calls

$ ncclscript run --draw -n 64 --set what=all_reduce --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>            before                  after
>            ┌─────┬─────┐           ┌───────┬───────┐
>   rank 0   │   1 │   2 │──┐     ┌─▶│ 20224 │ 20288 │
>   rank 1   │  11 │  12 │──┤     ├─▶│ 20224 │ 20288 │
>   rank 2   │  21 │  22 │──┼─sum─┼─▶│ 20224 │ 20288 │
>   rank 3   │  31 │  32 │──┤     ├─▶│ 20224 │ 20288 │
>   … 59 more               │     │
>   rank 63  │ 631 │ 632 │──┘     └─▶│ 20224 │ 20288 │
>            └─────┴─────┘           └───────┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

$ ncclscript run --draw -n 2 --set what=reduce --set count=2 draw.lua
> communicator world, call 1: Reduce int32 x 2 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┐        │  · │  · │
>   rank 1  │ 11 │ 12 │──┴─sum───▶│ 12 │ 14 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 1 result verified, 23 calls

$ ncclscript run --draw -n 3 --set what=reduce --set count=2 draw.lua
> communicator world, call 1: Reduce int32 x 2 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┐        │  · │  · │
>   rank 1  │ 11 │ 12 │──┼─sum───▶│ 33 │ 36 │
>   rank 2  │ 21 │ 22 │──┘        │  · │  · │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 1 result verified, 33 calls

$ ncclscript run --draw -n 4 --set what=reduce --set count=2 draw.lua
> communicator world, call 1: Reduce int32 x 2 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  1 │  2 │──┐        │  · │  · │
>   rank 1  │ 11 │ 12 │──┼─sum───▶│ 64 │ 68 │
>   rank 2  │ 21 │ 22 │──┤        │  · │  · │
>   rank 3  │ 31 │ 32 │──┘        │  · │  · │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 1 result verified, 43 calls

$ ncclscript run --draw -n 8 --set what=reduce --set count=2 draw.lua
> communicator world, call 1: Reduce int32 x 2 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>           before                after
>           ┌────┬────┐           ┌─────┬─────┐
>   rank 0  │  1 │  2 │──┐        │   · │   · │
>   rank 1  │ 11 │ 12 │──┼─sum───▶│ 288 │ 296 │
>   rank 2  │ 21 │ 22 │──┤        │   · │   · │
>   rank 3  │ 31 │ 32 │──┤        │   · │   · │
>   rank 4  │ 41 │ 42 │──┤        │   · │   · │
>   rank 5  │ 51 │ 52 │──┤        │   · │   · │
>   rank 6  │ 61 │ 62 │──┤        │   · │   · │
>   rank 7  │ 71 │ 72 │──┘        │   · │   · │
>           └────┴────┘           └─────┴─────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 1 result verified, 83 calls

$ ncclscript run --draw -n 64 --set what=reduce --set count=2 draw.lua
> communicator world, call 1: Reduce int32 x 2 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>            before                  after
>            ┌─────┬─────┐           ┌───────┬───────┐
>   rank 0   │   1 │   2 │──┐        │     · │     · │
>   rank 1   │  11 │  12 │──┼─sum───▶│ 20224 │ 20288 │
>   rank 2   │  21 │  22 │──┤        │     · │     · │
>   rank 3   │  31 │  32 │──┤        │     · │     · │
>   … 59 more               │
>   rank 63  │ 631 │ 632 │──┘        │     · │     · │
>            └─────┴─────┘           └───────┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 1 result verified, 643 calls

$ ncclscript run --draw -n 2 --set what=reduce_scatter --set count=2 draw.lua
> communicator world, call 1: ReduceScatter int32 x 2 sum, line 21
>   each rank gets its own part of the sum of what all ranks have
>           before                      after
>           ┌─0─────┬─1─────┐           ┌─0─────┬─1─────┐
>   rank 0  │   1 2 │   3 4 │──┬─sum─┬─▶│ 12 14 │     · │
>   rank 1  │ 11 12 │ 13 14 │──┘     └─▶│     · │ 16 18 │
>           └───────┴───────┘           └───────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 3 --set what=reduce_scatter --set count=2 draw.lua
> communicator world, call 1: ReduceScatter int32 x 2 sum, line 21
>   each rank gets its own part of the sum of what all ranks have
>           before                              after
>           ┌─0─────┬─1─────┬─2─────┐           ┌─0─────┬─1─────┬─2─────┐
>   rank 0  │   1 2 │   3 4 │   5 6 │──┐     ┌─▶│ 33 36 │     · │     · │
>   rank 1  │ 11 12 │ 13 14 │ 15 16 │──┼─sum─┼─▶│     · │ 39 42 │     · │
>   rank 2  │ 21 22 │ 23 24 │ 25 26 │──┘     └─▶│     · │     · │ 45 48 │
>           └───────┴───────┴───────┘           └───────┴───────┴───────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw -n 4 --set what=reduce_scatter --set count=2 draw.lua
> communicator world, call 1: ReduceScatter int32 x 2 sum, line 21
>   each rank gets its own part of the sum of what all ranks have
>           before                                  after
>           ┌─0────┬─1────┬─2────┬─3────┐           ┌─0────┬─1────┬─2────┬─3────┐
>   rank 0  │  1 … │  3 … │  5 … │  7 … │──┐     ┌─▶│ 64 … │    · │    · │    · │
>   rank 1  │ 11 … │ 13 … │ 15 … │ 17 … │──┼─sum─┼─▶│    · │ 72 … │    · │    · │
>   rank 2  │ 21 … │ 23 … │ 25 … │ 27 … │──┤     ├─▶│    · │    · │ 80 … │    · │
>   rank 3  │ 31 … │ 33 … │ 35 … │ 37 … │──┘     └─▶│    · │    · │    · │ 88 … │
>           └──────┴──────┴──────┴──────┘           └──────┴──────┴──────┴──────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 49 calls

$ ncclscript run --draw -n 8 --set what=reduce_scatter --set count=2 draw.lua
> communicator world, call 1: ReduceScatter int32 x 2 sum, line 21
>   each rank gets its own part of the sum of what all ranks have
>           before                               after
>           ┌─0────┬─1────┬───┬─7────┐           ┌─0─────┬─1─────┬───┬─7─────┐
>   rank 0  │  1 … │  3 … │ … │ 15 … │──┐     ┌─▶│ 288 … │     · │ … │     · │
>   rank 1  │ 11 … │ 13 … │ … │ 25 … │──┤     ├─▶│     · │ 304 … │ … │     · │
>   rank 2  │ 21 … │ 23 … │ … │ 35 … │──┤     ├─▶│     · │     · │ … │     · │
>   rank 3  │ 31 … │ 33 … │ … │ 45 … │──┼─sum─┼─▶│     · │     · │ … │     · │
>   rank 4  │ 41 … │ 43 … │ … │ 55 … │──┤     ├─▶│     · │     · │ … │     · │
>   rank 5  │ 51 … │ 53 … │ … │ 65 … │──┤     ├─▶│     · │     · │ … │     · │
>   rank 6  │ 61 … │ 63 … │ … │ 75 … │──┤     ├─▶│     · │     · │ … │     · │
>   rank 7  │ 71 … │ 73 … │ … │ 85 … │──┘     └─▶│     · │     · │ … │ 400 … │
>           └──────┴──────┴───┴──────┘           └───────┴───────┴───┴───────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 97 calls

$ ncclscript run --draw -n 64 --set what=reduce_scatter --set count=2 draw.lua
> communicator world, call 1: ReduceScatter int32 x 2 sum, line 21
>   each rank gets its own part of the sum of what all ranks have
>            before                          after
>            ┌─0─────┬───┬─63────┐           ┌─0───────┬───┬─63──────┐
>   rank 0   │   1 … │ … │ 127 … │──┐     ┌─▶│ 20224 … │ … │       · │
>   rank 1   │  11 … │ … │ 137 … │──┤     ├─▶│       · │ … │       · │
>   rank 2   │  21 … │ … │ 147 … │──┼─sum─┼─▶│       · │ … │       · │
>   rank 3   │  31 … │ … │ 157 … │──┤     ├─▶│       · │ … │       · │
>   … 59 more                       │     │
>   rank 63  │ 631 … │ … │ 757 … │──┘     └─▶│       · │ … │ 28288 … │
>            └───────┴───┴───────┘           └─────────┴───┴─────────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

$ ncclscript run --draw -n 2 --set what=all_gather --set count=2 draw.lua
> communicator world, call 1: AllGather int32 x 2, line 22
>   every rank gets what all ranks have, one behind the other
>           before                  after
>           ┌─0───┬─1─────┐         ┌─0───┬─1─────┐
>   rank 0  │ 1 2 │     · │──┬───┬─▶│ 1 2 │ 11 12 │
>   rank 1  │   · │ 11 12 │──┘   └─▶│ 1 2 │ 11 12 │
>           └─────┴───────┘         └─────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 3 --set what=all_gather --set count=2 draw.lua
> communicator world, call 1: AllGather int32 x 2, line 22
>   every rank gets what all ranks have, one behind the other
>           before                          after
>           ┌─0───┬─1─────┬─2─────┐         ┌─0───┬─1─────┬─2─────┐
>   rank 0  │ 1 2 │     · │     · │──┐   ┌─▶│ 1 2 │ 11 12 │ 21 22 │
>   rank 1  │   · │ 11 12 │     · │──┼───┼─▶│ 1 2 │ 11 12 │ 21 22 │
>   rank 2  │   · │     · │ 21 22 │──┘   └─▶│ 1 2 │ 11 12 │ 21 22 │
>           └─────┴───────┴───────┘         └─────┴───────┴───────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw -n 4 --set what=all_gather --set count=2 draw.lua
> communicator world, call 1: AllGather int32 x 2, line 22
>   every rank gets what all ranks have, one behind the other
>           before                               after
>           ┌─0───┬─1────┬─2────┬─3────┐         ┌─0───┬─1────┬─2────┬─3────┐
>   rank 0  │ 1 … │    · │    · │    · │──┐   ┌─▶│ 1 … │ 11 … │ 21 … │ 31 … │
>   rank 1  │   · │ 11 … │    · │    · │──┼───┼─▶│ 1 … │ 11 … │ 21 … │ 31 … │
>   rank 2  │   · │    · │ 21 … │    · │──┤   ├─▶│ 1 … │ 11 … │ 21 … │ 31 … │
>   rank 3  │   · │    · │    · │ 31 … │──┘   └─▶│ 1 … │ 11 … │ 21 … │ 31 … │
>           └─────┴──────┴──────┴──────┘         └─────┴──────┴──────┴──────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 49 calls

$ ncclscript run --draw -n 8 --set what=all_gather --set count=2 draw.lua
> communicator world, call 1: AllGather int32 x 2, line 22
>   every rank gets what all ranks have, one behind the other
>           before                            after
>           ┌─0───┬─1────┬───┬─7────┐         ┌─0───┬─1────┬───┬─7────┐
>   rank 0  │ 1 … │    · │ … │    · │──┐   ┌─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 1  │   · │ 11 … │ … │    · │──┤   ├─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 2  │   · │    · │ … │    · │──┤   ├─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 3  │   · │    · │ … │    · │──┼───┼─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 4  │   · │    · │ … │    · │──┤   ├─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 5  │   · │    · │ … │    · │──┤   ├─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 6  │   · │    · │ … │    · │──┤   ├─▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 7  │   · │    · │ … │ 71 … │──┘   └─▶│ 1 … │ 11 … │ … │ 71 … │
>           └─────┴──────┴───┴──────┘         └─────┴──────┴───┴──────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 97 calls

$ ncclscript run --draw -n 64 --set what=all_gather --set count=2 draw.lua
> communicator world, call 1: AllGather int32 x 2, line 22
>   every rank gets what all ranks have, one behind the other
>            before                             after
>            ┌─0───┬─1────┬───┬─63────┐         ┌─0───┬─1────┬───┬─63────┐
>   rank 0   │ 1 … │    · │ … │     · │──┐   ┌─▶│ 1 … │ 11 … │ … │ 631 … │
>   rank 1   │   · │ 11 … │ … │     · │──┤   ├─▶│ 1 … │ 11 … │ … │ 631 … │
>   rank 2   │   · │    · │ … │     · │──┼───┼─▶│ 1 … │ 11 … │ … │ 631 … │
>   rank 3   │   · │    · │ … │     · │──┤   ├─▶│ 1 … │ 11 … │ … │ 631 … │
>   … 59 more                            │   │
>   rank 63  │   · │    · │ … │ 631 … │──┘   └─▶│ 1 … │ 11 … │ … │ 631 … │
>            └─────┴──────┴───┴───────┘         └─────┴──────┴───┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

$ ncclscript run --draw -n 2 --set what=broadcast --set count=2 draw.lua
> communicator world, call 1: Broadcast int32 x 2 root 1, line 23
>   every rank gets what rank 1 has
>           before              after
>           ┌────┬────┐         ┌────┬────┐
>   rank 0  │  · │  · │      ┌─▶│ 11 │ 12 │
>   rank 1  │ 11 │ 12 │──────┴─▶│ 11 │ 12 │
>           └────┴────┘         └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 22 calls

$ ncclscript run --draw -n 3 --set what=broadcast --set count=2 draw.lua
> communicator world, call 1: Broadcast int32 x 2 root 1, line 23
>   every rank gets what rank 1 has
>           before              after
>           ┌────┬────┐         ┌────┬────┐
>   rank 0  │  · │  · │      ┌─▶│ 11 │ 12 │
>   rank 1  │ 11 │ 12 │──────┼─▶│ 11 │ 12 │
>   rank 2  │  · │  · │      └─▶│ 11 │ 12 │
>           └────┴────┘         └────┴────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 31 calls

$ ncclscript run --draw -n 4 --set what=broadcast --set count=2 draw.lua
> communicator world, call 1: Broadcast int32 x 2 root 1, line 23
>   every rank gets what rank 1 has
>           before              after
>           ┌────┬────┐         ┌────┬────┐
>   rank 0  │  · │  · │      ┌─▶│ 11 │ 12 │
>   rank 1  │ 11 │ 12 │──────┼─▶│ 11 │ 12 │
>   rank 2  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 3  │  · │  · │      └─▶│ 11 │ 12 │
>           └────┴────┘         └────┴────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 40 calls

$ ncclscript run --draw -n 8 --set what=broadcast --set count=2 draw.lua
> communicator world, call 1: Broadcast int32 x 2 root 1, line 23
>   every rank gets what rank 1 has
>           before              after
>           ┌────┬────┐         ┌────┬────┐
>   rank 0  │  · │  · │      ┌─▶│ 11 │ 12 │
>   rank 1  │ 11 │ 12 │──────┼─▶│ 11 │ 12 │
>   rank 2  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 3  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 4  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 5  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 6  │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 7  │  · │  · │      └─▶│ 11 │ 12 │
>           └────┴────┘         └────┴────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 76 calls

$ ncclscript run --draw -n 64 --set what=broadcast --set count=2 draw.lua
> communicator world, call 1: Broadcast int32 x 2 root 1, line 23
>   every rank gets what rank 1 has
>            before              after
>            ┌────┬────┐         ┌────┬────┐
>   rank 0   │  · │  · │      ┌─▶│ 11 │ 12 │
>   rank 1   │ 11 │ 12 │──────┼─▶│ 11 │ 12 │
>   rank 2   │  · │  · │      ├─▶│ 11 │ 12 │
>   rank 3   │  · │  · │      ├─▶│ 11 │ 12 │
>   … 59 more                 │
>   rank 63  │  · │  · │      └─▶│ 11 │ 12 │
>            └────┴────┘         └────┴────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 580 calls

$ ncclscript run --draw -n 2 --set what=all_to_all --set count=2 draw.lua
> communicator world, call 1: AlltoAll int32 x 2, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                    after
>           ┌─0─────┬─1─────┐         ┌─0───┬─1─────┐
>   rank 0  │   1 2 │   3 4 │──┬───┬─▶│ 1 2 │ 11 12 │
>   rank 1  │ 11 12 │ 13 14 │──┘   └─▶│ 3 4 │ 13 14 │
>           └───────┴───────┘         └─────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 3 --set what=all_to_all --set count=2 draw.lua
> communicator world, call 1: AlltoAll int32 x 2, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                            after
>           ┌─0─────┬─1─────┬─2─────┐         ┌─0───┬─1─────┬─2─────┐
>   rank 0  │   1 2 │   3 4 │   5 6 │──┐   ┌─▶│ 1 2 │ 11 12 │ 21 22 │
>   rank 1  │ 11 12 │ 13 14 │ 15 16 │──┼───┼─▶│ 3 4 │ 13 14 │ 23 24 │
>   rank 2  │ 21 22 │ 23 24 │ 25 26 │──┘   └─▶│ 5 6 │ 15 16 │ 25 26 │
>           └───────┴───────┴───────┘         └─────┴───────┴───────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw -n 4 --set what=all_to_all --set count=2 draw.lua
> communicator world, call 1: AlltoAll int32 x 2, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                                after
>           ┌─0────┬─1────┬─2────┬─3────┐         ┌─0───┬─1────┬─2────┬─3────┐
>   rank 0  │  1 … │  3 … │  5 … │  7 … │──┐   ┌─▶│ 1 … │ 11 … │ 21 … │ 31 … │
>   rank 1  │ 11 … │ 13 … │ 15 … │ 17 … │──┼───┼─▶│ 3 … │ 13 … │ 23 … │ 33 … │
>   rank 2  │ 21 … │ 23 … │ 25 … │ 27 … │──┤   ├─▶│ 5 … │ 15 … │ 25 … │ 35 … │
>   rank 3  │ 31 … │ 33 … │ 35 … │ 37 … │──┘   └─▶│ 7 … │ 17 … │ 27 … │ 37 … │
>           └──────┴──────┴──────┴──────┘         └─────┴──────┴──────┴──────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 49 calls

$ ncclscript run --draw -n 8 --set what=all_to_all --set count=2 draw.lua
> communicator world, call 1: AlltoAll int32 x 2, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                             after
>           ┌─0────┬─1────┬───┬─7────┐         ┌─0────┬─1────┬───┬─7────┐
>   rank 0  │  1 … │  3 … │ … │ 15 … │──┐   ┌─▶│  1 … │ 11 … │ … │ 71 … │
>   rank 1  │ 11 … │ 13 … │ … │ 25 … │──┤   ├─▶│  3 … │ 13 … │ … │ 73 … │
>   rank 2  │ 21 … │ 23 … │ … │ 35 … │──┤   ├─▶│  5 … │ 15 … │ … │ 75 … │
>   rank 3  │ 31 … │ 33 … │ … │ 45 … │──┼───┼─▶│  7 … │ 17 … │ … │ 77 … │
>   rank 4  │ 41 … │ 43 … │ … │ 55 … │──┤   ├─▶│  9 … │ 19 … │ … │ 79 … │
>   rank 5  │ 51 … │ 53 … │ … │ 65 … │──┤   ├─▶│ 11 … │ 21 … │ … │ 81 … │
>   rank 6  │ 61 … │ 63 … │ … │ 75 … │──┤   ├─▶│ 13 … │ 23 … │ … │ 83 … │
>   rank 7  │ 71 … │ 73 … │ … │ 85 … │──┘   └─▶│ 15 … │ 25 … │ … │ 85 … │
>           └──────┴──────┴───┴──────┘         └──────┴──────┴───┴──────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 97 calls

$ ncclscript run --draw -n 64 --set what=all_to_all --set count=2 draw.lua
> communicator world, call 1: AlltoAll int32 x 2, line 24
>   part d of what rank s has becomes part s of what rank d gets
>            before                                after
>            ┌─0─────┬─1─────┬───┬─63────┐         ┌─0─────┬─1─────┬───┬─63────┐
>   rank 0   │   1 … │   3 … │ … │ 127 … │──┐   ┌─▶│   1 … │  11 … │ … │ 631 … │
>   rank 1   │  11 … │  13 … │ … │ 137 … │──┤   ├─▶│   3 … │  13 … │ … │ 633 … │
>   rank 2   │  21 … │  23 … │ … │ 147 … │──┼───┼─▶│   5 … │  15 … │ … │ 635 … │
>   rank 3   │  31 … │  33 … │ … │ 157 … │──┤   ├─▶│   7 … │  17 … │ … │ 637 … │
>   … 59 more                               │   │
>   rank 63  │ 631 … │ 633 … │ … │ 757 … │──┘   └─▶│ 127 … │ 137 … │ … │ 757 … │
>            └───────┴───────┴───┴───────┘         └───────┴───────┴───┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

$ ncclscript run --draw -n 2 --set what=gather --set count=2 draw.lua
> communicator world, call 1: Gather int32 x 2 root 1, line 25
>   rank 1 alone gets what all ranks have, one behind the other
>           before                  after
>           ┌─0───┬─1─────┐         ┌─0───┬─1─────┐
>   rank 0  │ 1 2 │     · │──┐      │   · │     · │
>   rank 1  │   · │ 11 12 │──┴─────▶│ 1 2 │ 11 12 │
>           └─────┴───────┘         └─────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 1 result verified, 23 calls

$ ncclscript run --draw -n 3 --set what=gather --set count=2 draw.lua
> communicator world, call 1: Gather int32 x 2 root 1, line 25
>   rank 1 alone gets what all ranks have, one behind the other
>           before                          after
>           ┌─0───┬─1─────┬─2─────┐         ┌─0───┬─1─────┬─2─────┐
>   rank 0  │ 1 2 │     · │     · │──┐      │   · │     · │     · │
>   rank 1  │   · │ 11 12 │     · │──┼─────▶│ 1 2 │ 11 12 │ 21 22 │
>   rank 2  │   · │     · │ 21 22 │──┘      │   · │     · │     · │
>           └─────┴───────┴───────┘         └─────┴───────┴───────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 1 result verified, 33 calls

$ ncclscript run --draw -n 4 --set what=gather --set count=2 draw.lua
> communicator world, call 1: Gather int32 x 2 root 1, line 25
>   rank 1 alone gets what all ranks have, one behind the other
>           before                               after
>           ┌─0───┬─1────┬─2────┬─3────┐         ┌─0───┬─1────┬─2────┬─3────┐
>   rank 0  │ 1 … │    · │    · │    · │──┐      │   · │    · │    · │    · │
>   rank 1  │   · │ 11 … │    · │    · │──┼─────▶│ 1 … │ 11 … │ 21 … │ 31 … │
>   rank 2  │   · │    · │ 21 … │    · │──┤      │   · │    · │    · │    · │
>   rank 3  │   · │    · │    · │ 31 … │──┘      │   · │    · │    · │    · │
>           └─────┴──────┴──────┴──────┘         └─────┴──────┴──────┴──────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 1 result verified, 43 calls

$ ncclscript run --draw -n 8 --set what=gather --set count=2 draw.lua
> communicator world, call 1: Gather int32 x 2 root 1, line 25
>   rank 1 alone gets what all ranks have, one behind the other
>           before                            after
>           ┌─0───┬─1────┬───┬─7────┐         ┌─0───┬─1────┬───┬─7────┐
>   rank 0  │ 1 … │    · │ … │    · │──┐      │   · │    · │ … │    · │
>   rank 1  │   · │ 11 … │ … │    · │──┼─────▶│ 1 … │ 11 … │ … │ 71 … │
>   rank 2  │   · │    · │ … │    · │──┤      │   · │    · │ … │    · │
>   rank 3  │   · │    · │ … │    · │──┤      │   · │    · │ … │    · │
>   rank 4  │   · │    · │ … │    · │──┤      │   · │    · │ … │    · │
>   rank 5  │   · │    · │ … │    · │──┤      │   · │    · │ … │    · │
>   rank 6  │   · │    · │ … │    · │──┤      │   · │    · │ … │    · │
>   rank 7  │   · │    · │ … │ 71 … │──┘      │   · │    · │ … │    · │
>           └─────┴──────┴───┴──────┘         └─────┴──────┴───┴──────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 1 result verified, 83 calls

$ ncclscript run --draw -n 64 --set what=gather --set count=2 draw.lua
> communicator world, call 1: Gather int32 x 2 root 1, line 25
>   rank 1 alone gets what all ranks have, one behind the other
>            before                             after
>            ┌─0───┬─1────┬───┬─63────┐         ┌─0───┬─1────┬───┬─63────┐
>   rank 0   │ 1 … │    · │ … │     · │──┐      │   · │    · │ … │     · │
>   rank 1   │   · │ 11 … │ … │     · │──┼─────▶│ 1 … │ 11 … │ … │ 631 … │
>   rank 2   │   · │    · │ … │     · │──┤      │   · │    · │ … │     · │
>   rank 3   │   · │    · │ … │     · │──┤      │   · │    · │ … │     · │
>   … 59 more                            │
>   rank 63  │   · │    · │ … │ 631 … │──┘      │   · │    · │ … │     · │
>            └─────┴──────┴───┴───────┘         └─────┴──────┴───┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 1 result verified, 643 calls

$ ncclscript run --draw -n 2 --set what=scatter --set count=2 draw.lua
> communicator world, call 1: Scatter int32 x 2 root 1, line 26
>   each rank gets its own part of what rank 1 has
>           before                    after
>           ┌─0─────┬─1─────┐         ┌─0─────┬─1─────┐
>   rank 0  │     · │     · │      ┌─▶│ 11 12 │     · │
>   rank 1  │ 11 12 │ 13 14 │──────┴─▶│     · │ 13 14 │
>           └───────┴───────┘         └───────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 22 calls

$ ncclscript run --draw -n 3 --set what=scatter --set count=2 draw.lua
> communicator world, call 1: Scatter int32 x 2 root 1, line 26
>   each rank gets its own part of what rank 1 has
>           before                            after
>           ┌─0─────┬─1─────┬─2─────┐         ┌─0─────┬─1─────┬─2─────┐
>   rank 0  │     · │     · │     · │      ┌─▶│ 11 12 │     · │     · │
>   rank 1  │ 11 12 │ 13 14 │ 15 16 │──────┼─▶│     · │ 13 14 │     · │
>   rank 2  │     · │     · │     · │      └─▶│     · │     · │ 15 16 │
>           └───────┴───────┴───────┘         └───────┴───────┴───────┘
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 31 calls

$ ncclscript run --draw -n 4 --set what=scatter --set count=2 draw.lua
> communicator world, call 1: Scatter int32 x 2 root 1, line 26
>   each rank gets its own part of what rank 1 has
>           before                                after
>           ┌─0────┬─1────┬─2────┬─3────┐         ┌─0────┬─1────┬─2────┬─3────┐
>   rank 0  │    · │    · │    · │    · │      ┌─▶│ 11 … │    · │    · │    · │
>   rank 1  │ 11 … │ 13 … │ 15 … │ 17 … │──────┼─▶│    · │ 13 … │    · │    · │
>   rank 2  │    · │    · │    · │    · │      ├─▶│    · │    · │ 15 … │    · │
>   rank 3  │    · │    · │    · │    · │      └─▶│    · │    · │    · │ 17 … │
>           └──────┴──────┴──────┴──────┘         └──────┴──────┴──────┴──────┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 40 calls

$ ncclscript run --draw -n 8 --set what=scatter --set count=2 draw.lua
> communicator world, call 1: Scatter int32 x 2 root 1, line 26
>   each rank gets its own part of what rank 1 has
>           before                             after
>           ┌─0────┬─1────┬───┬─7────┐         ┌─0────┬─1────┬───┬─7────┐
>   rank 0  │    · │    · │ … │    · │      ┌─▶│ 11 … │    · │ … │    · │
>   rank 1  │ 11 … │ 13 … │ … │ 25 … │──────┼─▶│    · │ 13 … │ … │    · │
>   rank 2  │    · │    · │ … │    · │      ├─▶│    · │    · │ … │    · │
>   rank 3  │    · │    · │ … │    · │      ├─▶│    · │    · │ … │    · │
>   rank 4  │    · │    · │ … │    · │      ├─▶│    · │    · │ … │    · │
>   rank 5  │    · │    · │ … │    · │      ├─▶│    · │    · │ … │    · │
>   rank 6  │    · │    · │ … │    · │      ├─▶│    · │    · │ … │    · │
>   rank 7  │    · │    · │ … │    · │      └─▶│    · │    · │ … │ 25 … │
>           └──────┴──────┴───┴──────┘         └──────┴──────┴───┴──────┘
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 76 calls

$ ncclscript run --draw -n 64 --set what=scatter --set count=2 draw.lua
> communicator world, call 1: Scatter int32 x 2 root 1, line 26
>   each rank gets its own part of what rank 1 has
>            before                              after
>            ┌─0────┬─1────┬───┬─63────┐         ┌─0────┬─1────┬───┬─63────┐
>   rank 0   │    · │    · │ … │     · │      ┌─▶│ 11 … │    · │ … │     · │
>   rank 1   │ 11 … │ 13 … │ … │ 137 … │──────┼─▶│    · │ 13 … │ … │     · │
>   rank 2   │    · │    · │ … │     · │      ├─▶│    · │    · │ … │     · │
>   rank 3   │    · │    · │ … │     · │      ├─▶│    · │    · │ … │     · │
>   … 59 more                                 │
>   rank 63  │    · │    · │ … │     · │      └─▶│    · │    · │ … │ 137 … │
>            └──────┴──────┴───┴───────┘         └──────┴──────┴───┴───────┘
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 580 calls

$ ncclscript run --draw -n 2 --set what=ring --set count=2 draw.lua
> communicator world: 2 sends with their receives, int32 x 2
>   rank 0 ───▶ rank 1  1  2
>   rank 1 ───▶ rank 0  11  12
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 31 calls

$ ncclscript run --draw -n 3 --set what=ring --set count=2 draw.lua
> communicator world: 3 sends with their receives, int32 x 2
>   rank 2 ───▶ rank 0  21  22
>   rank 1 ───▶ rank 2  11  12
>   rank 0 ───▶ rank 1  1  2
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 46 calls

$ ncclscript run --draw -n 4 --set what=ring --set count=2 draw.lua
> communicator world: 4 sends with their receives, int32 x 2
>   rank 0 ───▶ rank 1  1  2
>   rank 3 ───▶ rank 0  31  32
>   rank 2 ───▶ rank 3  21  22
>   rank 1 ───▶ rank 2  11  12
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 61 calls

$ ncclscript run --draw -n 8 --set what=ring --set count=2 draw.lua
> communicator world: 8 sends with their receives, int32 x 2
>   rank 1 ───▶ rank 2  11  12
>   rank 2 ───▶ rank 3  21  22
>   rank 3 ───▶ rank 4  31  32
>   rank 4 ───▶ rank 5  41  42
>   rank 0 ───▶ rank 1  1  2
>   rank 7 ───▶ rank 0  71  72
>   rank 6 ───▶ rank 7  61  62
>   rank 5 ───▶ rank 6  51  52
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 121 calls

$ ncclscript run --draw -n 64 --set what=ring --set count=2 draw.lua
> communicator world: 64 sends with their receives, int32 x 2
>   rank 1  ───▶ rank 2   11  12
>   rank 2  ───▶ rank 3   21  22
>   rank 3  ───▶ rank 4   31  32
>   rank 4  ───▶ rank 5   41  42
>   rank 5  ───▶ rank 6   51  52
>   rank 6  ───▶ rank 7   61  62
>   rank 7  ───▶ rank 8   71  72
>   rank 8  ───▶ rank 9   81  82
>   rank 9  ───▶ rank 10  91  92
>   rank 10 ───▶ rank 11  101  102
>   rank 11 ───▶ rank 12  111  112
>   rank 12 ───▶ rank 13  121  122
>   … and 52 more
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 961 calls

# In place, and a buffer of which only the beginning is shown.
$ ncclscript run --draw --set what=in_place --set count=1000000 draw.lua
> communicator world, call 1: AllReduce int32 x 1000000 sum, in place, line 19
>   every rank gets the sum of what all ranks have
>           before                              after
>           ┌────┬────┬────┬────┬───┐           ┌────┬────┬────┬────┬───┐
>   rank 0  │  1 │  2 │  3 │  4 │ … │──┐     ┌─▶│ 64 │ 68 │ 72 │ 76 │ … │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │ … │──┼─sum─┼─▶│ 64 │ 68 │ 72 │ 76 │ … │
>   rank 2  │ 21 │ 22 │ 23 │ 24 │ … │──┤     ├─▶│ 64 │ 68 │ 72 │ 76 │ … │
>   rank 3  │ 31 │ 32 │ 33 │ 34 │ … │──┘     └─▶│ 64 │ 68 │ 72 │ 76 │ … │
>           └────┴────┴────┴────┴───┘           └────┴────┴────┴────┴───┘
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 53 calls

# Values that do not tell one piece from another: names.
$ ncclscript run --draw -n 3 --set what=all_to_all --set step=0 draw.lua
> communicator world, call 1: AlltoAll int32 x 4, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                   after
>           ┌─0──┬─1──┬─2──┐         ┌─0──┬─1──┬─2──┐
>   rank 0  │ A0 │ A1 │ A2 │──┐   ┌─▶│ A0 │ B0 │ C0 │
>   rank 1  │ B0 │ B1 │ B2 │──┼───┼─▶│ A1 │ B1 │ C1 │
>   rank 2  │ C0 │ C1 │ C2 │──┘   └─▶│ A2 │ B2 │ C2 │
>           └────┴────┴────┘         └────┴────┴────┘
>   A0 is part 0 of what the first rank puts in, B1 part 1 of the second's
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw -n 3 --set what=all_gather --set step=0 draw.lua
> communicator world, call 1: AllGather int32 x 4, line 22
>   every rank gets what all ranks have, one behind the other
>           before                after
>           ┌─0─┬─1─┬─2─┐         ┌─0─┬─1─┬─2─┐
>   rank 0  │ A │ · │ · │──┐   ┌─▶│ A │ B │ C │
>   rank 1  │ · │ B │ · │──┼───┼─▶│ A │ B │ C │
>   rank 2  │ · │ · │ C │──┘   └─▶│ A │ B │ C │
>           └───┴───┴───┘         └───┴───┴───┘
>   A is what the first rank puts in, B the second's, and so on
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

# Short numbers of all types.
$ ncclscript run --draw -n 2 --set count=3 --set dtype=float16 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce float16 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                          after
>           ┌─────┬─────┬───────┐           ┌───┬───────┬───────┐
>   rank 0  │ 1.5 │ 1.6 │   1.7 │──┬─sum─┬─▶│ 4 │ 4.199 │ 4.398 │
>   rank 1  │ 2.5 │ 2.6 │ 2.699 │──┘     └─▶│ 4 │ 4.199 │ 4.398 │
>           └─────┴─────┴───────┘           └───┴───────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=3 --set dtype=float32 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce float32 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                        after
>           ┌─────┬─────┬─────┐           ┌───┬─────┬─────┐
>   rank 0  │ 1.5 │ 1.6 │ 1.7 │──┬─sum─┬─▶│ 4 │ 4.2 │ 4.4 │
>   rank 1  │ 2.5 │ 2.6 │ 2.7 │──┘     └─▶│ 4 │ 4.2 │ 4.4 │
>           └─────┴─────┴─────┘           └───┴─────┴─────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=3 --set dtype=float64 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce float64 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                        after
>           ┌─────┬─────┬─────┐           ┌───┬─────┬─────┐
>   rank 0  │ 1.5 │ 1.6 │ 1.7 │──┬─sum─┬─▶│ 4 │ 4.2 │ 4.4 │
>   rank 1  │ 2.5 │ 2.6 │ 2.7 │──┘     └─▶│ 4 │ 4.2 │ 4.4 │
>           └─────┴─────┴─────┘           └───┴─────┴─────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=3 --set dtype=bfloat16 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce bfloat16 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                            after
>           ┌─────┬───────┬───────┐           ┌───┬───────┬───────┐
>   rank 0  │ 1.5 │ 1.602 │ 1.703 │──┬─sum─┬─▶│ 4 │ 4.188 │ 4.406 │
>   rank 1  │ 2.5 │ 2.594 │ 2.703 │──┘     └─▶│ 4 │ 4.188 │ 4.406 │
>           └─────┴───────┴───────┘           └───┴───────┴───────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=3 --set dtype=float8e4m3 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce float8e4m3 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                           after
>           ┌─────┬───────┬──────┐           ┌───┬───┬─────┐
>   rank 0  │ 1.5 │ 1.625 │ 1.75 │──┬─sum─┬─▶│ 4 │ 4 │ 4.5 │
>   rank 1  │ 2.5 │   2.5 │ 2.75 │──┘     └─▶│ 4 │ 4 │ 4.5 │
>           └─────┴───────┴──────┘           └───┴───┴─────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=3 --set dtype=float8e5m2 --set start=1.5 --set step=0.1 draw.lua
> communicator world, call 1: AllReduce float8e5m2 x 3 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                         after
>           ┌─────┬─────┬──────┐           ┌───┬───┬───┐
>   rank 0  │ 1.5 │ 1.5 │ 1.75 │──┬─sum─┬─▶│ 4 │ 4 │ 4 │
>   rank 1  │ 2.5 │ 2.5 │  2.5 │──┘     └─▶│ 4 │ 4 │ 4 │
>           └─────┴─────┴──────┘           └───┴───┴───┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=int8 --set start=7 --set op=max draw.lua
> communicator world, call 1: AllReduce int8 x 2 max, line 18
>   every rank gets the max of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  7 │  8 │──┬─max─┬─▶│ 17 │ 18 │
>   rank 1  │ 17 │ 18 │──┘     └─▶│ 17 │ 18 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=uint8 --set start=7 --set op=max draw.lua
> communicator world, call 1: AllReduce uint8 x 2 max, line 18
>   every rank gets the max of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  7 │  8 │──┬─max─┬─▶│ 17 │ 18 │
>   rank 1  │ 17 │ 18 │──┘     └─▶│ 17 │ 18 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=uint32 --set start=7 --set op=max draw.lua
> communicator world, call 1: AllReduce uint32 x 2 max, line 18
>   every rank gets the max of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  7 │  8 │──┬─max─┬─▶│ 17 │ 18 │
>   rank 1  │ 17 │ 18 │──┘     └─▶│ 17 │ 18 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=int64 --set start=7 --set op=max draw.lua
> communicator world, call 1: AllReduce int64 x 2 max, line 18
>   every rank gets the max of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  7 │  8 │──┬─max─┬─▶│ 17 │ 18 │
>   rank 1  │ 17 │ 18 │──┘     └─▶│ 17 │ 18 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=uint64 --set start=7 --set op=max draw.lua
> communicator world, call 1: AllReduce uint64 x 2 max, line 18
>   every rank gets the max of what all ranks have
>           before                after
>           ┌────┬────┐           ┌────┬────┐
>   rank 0  │  7 │  8 │──┬─max─┬─▶│ 17 │ 18 │
>   rank 1  │ 17 │ 18 │──┘     └─▶│ 17 │ 18 │
>           └────┴────┘           └────┴────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=int64 --set start=900719925474 --set op=min draw.lua
> communicator world, call 1: AllReduce int64 x 2 min, line 18
>   every rank gets the min of what all ranks have
>           before                            after
>           ┌──────────┬──────────┐           ┌──────────┬──────────┐
>   rank 0  │ 9.007e11 │ 9.007e11 │──┬─min─┬─▶│ 9.007e11 │ 9.007e11 │
>   rank 1  │ 9.007e11 │ 9.007e11 │──┘     └─▶│ 9.007e11 │ 9.007e11 │
>           └──────────┴──────────┘           └──────────┴──────────┘
>   numbers are shown with four digits
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=float32 --set start=1e38 --set step=1e38 draw.lua
> communicator world, call 1: AllReduce float32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                    after
>           ┌──────┬──────┐           ┌─────┬─────┐
>   rank 0  │ 1e38 │ 2e38 │──┬─sum─┬─▶│ inf │ inf │
>   rank 1  │  inf │  inf │──┘     └─▶│ inf │ inf │
>           └──────┴──────┘           └─────┴─────┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw -n 2 --set count=2 --set dtype=float64 --set op=avg draw.lua
> communicator world, call 1: AllReduce float64 x 2 avg, line 18
>   every rank gets the avg of what all ranks have
>           before                after
>           ┌────┬────┐           ┌───┬───┐
>   rank 0  │  1 │  2 │──┬─avg─┬─▶│ 6 │ 7 │
>   rank 1  │ 11 │ 12 │──┘     └─▶│ 6 │ 7 │
>           └────┴────┘           └───┴───┘
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

# No elements: nothing moves.
$ ncclscript run --draw -n 2 --set count=0 draw.lua
> nothing to draw: no data has moved, or nothing is verified
>
> PASS  draw.lua  2 ranks, sim, seed 0: 0 results verified, 23 calls

# Steps of the ring: all of them of few ranks, of more the first and the last.
$ ncclscript run --draw=steps draw.lua
> communicator world, call 1: AllReduce int32 x 4 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                          after
>           ┌────┬────┬────┬────┐           ┌────┬────┬────┬────┐
>   rank 0  │  1 │  2 │  3 │  4 │──┐     ┌─▶│ 64 │ 68 │ 72 │ 76 │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──┼─sum─┼─▶│ 64 │ 68 │ 72 │ 76 │
>   rank 2  │ 21 │ 22 │ 23 │ 24 │──┤     ├─▶│ 64 │ 68 │ 72 │ 76 │
>   rank 3  │ 31 │ 32 │ 33 │ 34 │──┘     └─▶│ 64 │ 68 │ 72 │ 76 │
>           └────┴────┴────┴────┘           └────┴────┴────┴────┘
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   reduce-scatter in 3 steps: each rank sends a chunk to the next one, which
>   joins it to its own
>   step 1 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │  1 │  2 │▶36 │  4 │ chunk 3 ─▶ rank 1
>   rank 1  │ 11 │ 12 │ 13 │▶18 │ chunk 0 ─▶ rank 2
>   rank 2  │▶32 │ 22 │ 23 │ 24 │ chunk 1 ─▶ rank 3
>   rank 3  │ 31 │▶54 │ 33 │ 34 │ chunk 2 ─▶ rank 0
>           └────┴────┴────┴────┘
>   step 2 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │  1 │▶56 │ 36 │  4 │ chunk 2 ─▶ rank 1
>   rank 1  │ 11 │ 12 │▶49 │ 18 │ chunk 3 ─▶ rank 2
>   rank 2  │ 32 │ 22 │ 23 │▶42 │ chunk 0 ─▶ rank 3
>   rank 3  │▶63 │ 54 │ 33 │ 34 │ chunk 1 ─▶ rank 0
>           └────┴────┴────┴────┘
>   step 3 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │▶64✓│ 56 │ 36 │  4 │ chunk 1 ─▶ rank 1
>   rank 1  │ 11 │▶68✓│ 49 │ 18 │ chunk 2 ─▶ rank 2
>   rank 2  │ 32 │ 22 │▶72✓│ 42 │ chunk 3 ─▶ rank 3
>   rank 3  │ 63 │ 54 │ 33 │▶76✓│ chunk 0 ─▶ rank 0
>           └────┴────┴────┴────┘
>   all-gather in 3 steps: each rank sends a chunk to the next one, which keeps it
>   step 1 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │ 64✓│ 56 │ 36 │▶76✓│ chunk 0 ─▶ rank 1
>   rank 1  │▶64✓│ 68✓│ 49 │ 18 │ chunk 1 ─▶ rank 2
>   rank 2  │ 32 │▶68✓│ 72✓│ 42 │ chunk 2 ─▶ rank 3
>   rank 3  │ 63 │ 54 │▶72✓│ 76✓│ chunk 3 ─▶ rank 0
>           └────┴────┴────┴────┘
>   step 2 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │ 64✓│ 56 │▶72✓│ 76✓│ chunk 3 ─▶ rank 1
>   rank 1  │ 64✓│ 68✓│ 49 │▶76✓│ chunk 0 ─▶ rank 2
>   rank 2  │▶64✓│ 68✓│ 72✓│ 42 │ chunk 1 ─▶ rank 3
>   rank 3  │ 63 │▶68✓│ 72✓│ 76✓│ chunk 2 ─▶ rank 0
>           └────┴────┴────┴────┘
>   step 3 of 3
>           ┌─0──┬─1──┬─2──┬─3──┐
>   rank 0  │ 64✓│▶68✓│ 72✓│ 76✓│ chunk 2 ─▶ rank 1
>   rank 1  │ 64✓│ 68✓│▶72✓│ 76✓│ chunk 3 ─▶ rank 2
>   rank 2  │ 64✓│ 68✓│ 72✓│▶76✓│ chunk 0 ─▶ rank 3
>   rank 3  │▶64✓│ 68✓│ 72✓│ 76✓│ chunk 1 ─▶ rank 0
>           └────┴────┴────┴────┘
>   ▶ has come in this step, ✓ is complete; of each chunk its first element
>
> PASS  draw.lua  4 ranks, sim, seed 0: 4 results verified, 49 calls

$ ncclscript run --draw=steps -n 3 --set what=all_gather --set count=1 draw.lua
> communicator world, call 1: AllGather int32 x 1, line 22
>   every rank gets what all ranks have, one behind the other
>           before                  after
>           ┌─0─┬─1──┬─2──┐         ┌─0─┬─1──┬─2──┐
>   rank 0  │ 1 │  · │  · │──┐   ┌─▶│ 1 │ 11 │ 21 │
>   rank 1  │ · │ 11 │  · │──┼───┼─▶│ 1 │ 11 │ 21 │
>   rank 2  │ · │  · │ 21 │──┘   └─▶│ 1 │ 11 │ 21 │
>           └───┴────┴────┘         └───┴────┴────┘
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   all-gather in 2 steps: each rank sends a chunk to the next one, which keeps it
>   step 1 of 2
>           ┌─0─┬─1──┬─2──┐
>   rank 0  │ 1✓│  · │▶21✓│ chunk 0 ─▶ rank 1
>   rank 1  │▶1✓│ 11✓│  · │ chunk 1 ─▶ rank 2
>   rank 2  │ · │▶11✓│ 21✓│ chunk 2 ─▶ rank 0
>           └───┴────┴────┘
>   step 2 of 2
>           ┌─0─┬─1──┬─2──┐
>   rank 0  │ 1✓│▶11✓│ 21✓│ chunk 2 ─▶ rank 1
>   rank 1  │ 1✓│ 11✓│▶21✓│ chunk 0 ─▶ rank 2
>   rank 2  │▶1✓│ 11✓│ 21✓│ chunk 1 ─▶ rank 0
>           └───┴────┴────┘
>   ▶ has come in this step, ✓ is complete; of each chunk its first element
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw=steps -n 3 --set what=reduce_scatter --set count=1 --set op=prod draw.lua
> communicator world, call 1: ReduceScatter int32 x 1 prod, line 21
>   each rank gets its own part of the prod of what all ranks have
>           before                      after
>           ┌─0──┬─1──┬─2──┐            ┌─0───┬─1───┬─2───┐
>   rank 0  │  1 │  2 │  3 │──┐      ┌─▶│ 231 │   · │   · │
>   rank 1  │ 11 │ 12 │ 13 │──┼─prod─┼─▶│   · │ 528 │   · │
>   rank 2  │ 21 │ 22 │ 23 │──┘      └─▶│   · │   · │ 897 │
>           └────┴────┴────┘            └─────┴─────┴─────┘
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   reduce-scatter in 2 steps: each rank sends a chunk to the next one, which
>   joins it to its own
>   step 1 of 2
>           ┌─0───┬─1──┬─2──┐
>   rank 0  │   1 │▶44 │  3 │ chunk 2 ─▶ rank 1
>   rank 1  │  11 │ 12 │▶39 │ chunk 0 ─▶ rank 2
>   rank 2  │▶231 │ 22 │ 23 │ chunk 1 ─▶ rank 0
>           └─────┴────┴────┘
>   step 2 of 2
>           ┌─0───┬─1───┬─2───┐
>   rank 0  │▶231✓│  44 │   3 │ chunk 1 ─▶ rank 1
>   rank 1  │  11 │▶528✓│  39 │ chunk 2 ─▶ rank 2
>   rank 2  │ 231 │  22 │▶897✓│ chunk 0 ─▶ rank 0
>           └─────┴─────┴─────┘
>   ▶ has come in this step, ✓ is complete; of each chunk its first element
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ ncclscript run --draw=steps -n 8 --set what=reduce draw.lua
> communicator world, call 1: Reduce int32 x 4 sum root 1, line 20
>   rank 1 alone gets the sum of what all ranks have
>           before                          after
>           ┌────┬────┬────┬────┐           ┌─────┬─────┬─────┬─────┐
>   rank 0  │  1 │  2 │  3 │  4 │──┐        │   · │   · │   · │   · │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──┼─sum───▶│ 288 │ 296 │ 304 │ 312 │
>   rank 2  │ 21 │ 22 │ 23 │ 24 │──┤        │   · │   · │   · │   · │
>   rank 3  │ 31 │ 32 │ 33 │ 34 │──┤        │   · │   · │   · │   · │
>   rank 4  │ 41 │ 42 │ 43 │ 44 │──┤        │   · │   · │   · │   · │
>   rank 5  │ 51 │ 52 │ 53 │ 54 │──┤        │   · │   · │   · │   · │
>   rank 6  │ 61 │ 62 │ 63 │ 64 │──┤        │   · │   · │   · │   · │
>   rank 7  │ 71 │ 72 │ 73 │ 74 │──┘        │   · │   · │   · │   · │
>           └────┴────┴────┴────┘           └─────┴─────┴─────┴─────┘
>   in steps, as NCCL does it in principle: a chain along the ring, up to the
>   root; of a long buffer the chunks follow each other closely
>   step 1: rank 2 ──▶ rank 3  21, there with its own 52
>   step 2: rank 3 ──▶ rank 4  52, there with its own 93
>   step 3: rank 4 ──▶ rank 5  93, there with its own 144
>   step 4: rank 5 ──▶ rank 6  144, there with its own 205
>   step 5: rank 6 ──▶ rank 7  205, there with its own 276
>   step 6: rank 7 ──▶ rank 0  276, there with its own 277
>   step 7: rank 0 ──▶ rank 1  277, there with its own 288
>   the values are those of the first element
>
> PASS  draw.lua  8 ranks, sim, seed 0: 1 result verified, 83 calls

$ ncclscript run --draw=steps -n 3 --set what=broadcast draw.lua
> communicator world, call 1: Broadcast int32 x 4 root 1, line 23
>   every rank gets what rank 1 has
>           before                        after
>           ┌────┬────┬────┬────┐         ┌────┬────┬────┬────┐
>   rank 0  │  · │  · │  · │  · │      ┌─▶│ 11 │ 12 │ 13 │ 14 │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──────┼─▶│ 11 │ 12 │ 13 │ 14 │
>   rank 2  │  · │  · │  · │  · │      └─▶│ 11 │ 12 │ 13 │ 14 │
>           └────┴────┴────┴────┘         └────┴────┴────┴────┘
>   in steps, as NCCL does it in principle: a chain along the ring, from the root
>   on; of a long buffer the chunks follow each other closely
>   step 1: rank 1 ──▶ rank 2  11
>   step 2: rank 2 ──▶ rank 0  11
>   the values are those of the first element
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 31 calls

$ ncclscript run --draw=steps -n 2 --set what=all_to_all draw.lua
> communicator world, call 1: AlltoAll int32 x 4, line 24
>   part d of what rank s has becomes part s of what rank d gets
>           before                                after
>           ┌─0───────────┬─1───────────┐         ┌─0───────┬─1───────────┐
>   rank 0  │     1 2 3 4 │     5 6 7 8 │──┬───┬─▶│ 1 2 3 4 │ 11 12 13 14 │
>   rank 1  │ 11 12 13 14 │ 15 16 17 18 │──┘   └─▶│ 5 6 7 8 │ 15 16 17 18 │
>           └─────────────┴─────────────┘         └─────────┴─────────────┘
>   no ring: every part goes straight from its rank to the other
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw=steps -n 64 --set count=128 draw.lua
> communicator world, call 1: AllReduce int32 x 128 sum, line 18
>   every rank gets the sum of what all ranks have
>            before                            after
>            ┌─────┬─────┬─────┬───┐           ┌───────┬───────┬───────┬───┐
>   rank 0   │   1 │   2 │   3 │ … │──┐     ┌─▶│ 20224 │ 20288 │ 20352 │ … │
>   rank 1   │  11 │  12 │  13 │ … │──┤     ├─▶│ 20224 │ 20288 │ 20352 │ … │
>   rank 2   │  21 │  22 │  23 │ … │──┼─sum─┼─▶│ 20224 │ 20288 │ 20352 │ … │
>   rank 3   │  31 │  32 │  33 │ … │──┤     ├─▶│ 20224 │ 20288 │ 20352 │ … │
>   … 59 more                         │     │
>   rank 63  │ 631 │ 632 │ 633 │ … │──┘     └─▶│ 20224 │ 20288 │ 20352 │ … │
>            └─────┴─────┴─────┴───┘           └───────┴───────┴───────┴───┘
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   reduce-scatter in 63 steps: each rank sends a chunk to the next one, which
>   joins it to its own
>   step 1 of 63
>            ┌─0───┬─1───┬─2───┬─3───┬───┬─63──┐
>   rank 0   │   1 │   3 │   5 │   7 │ … │ 127 │ chunk 63 ─▶ rank 1
>   rank 1   │  11 │  13 │  15 │  17 │ … │▶264 │ chunk 0 ─▶ rank 2
>   rank 2   │▶ 32 │  23 │  25 │  27 │ … │ 147 │ chunk 1 ─▶ rank 3
>   rank 3   │  31 │▶ 56 │  35 │  37 │ … │ 157 │ chunk 2 ─▶ rank 4
>   … 59 more
>   rank 63  │ 631 │ 633 │ 635 │ 637 │ … │ 757 │ chunk 62 ─▶ rank 0
>            └─────┴─────┴─────┴─────┴───┴─────┘
>   step 2 of 63
>            ┌─0───┬─1───┬─2───┬─3───┬───┬─63──┐
>   rank 0   │   1 │   3 │   5 │   7 │ … │ 127 │ chunk 62 ─▶ rank 1
>   rank 1   │  11 │  13 │  15 │  17 │ … │ 264 │ chunk 63 ─▶ rank 2
>   rank 2   │  32 │  23 │  25 │  27 │ … │▶411 │ chunk 0 ─▶ rank 3
>   rank 3   │▶ 63 │  56 │  35 │  37 │ … │ 157 │ chunk 1 ─▶ rank 4
>   … 59 more
>   rank 63  │ 631 │ 633 │ 635 │ 637 │ … │ 757 │ chunk 61 ─▶ rank 0
>            └─────┴─────┴─────┴─────┴───┴─────┘
>   …
>   step 63 of 63
>            ┌─0─────┬─1─────┬─2─────┬─3─────┬───┬─63────┐
>   rank 0   │▶20224✓│ 20339 │ 20440 │ 20527 │ … │   127 │ chunk 1 ─▶ rank 1
>   rank 1   │    11 │▶20352✓│ 20455 │ 20544 │ … │   264 │ chunk 2 ─▶ rank 2
>   rank 2   │    32 │    23 │▶20480✓│ 20571 │ … │   411 │ chunk 3 ─▶ rank 3
>   rank 3   │    63 │    56 │    35 │▶20608✓│ … │   568 │ chunk 4 ─▶ rank 4
>   … 59 more
>   rank 63  │ 20223 │ 20336 │ 20435 │ 20520 │ … │▶28288✓│ chunk 0 ─▶ rank 0
>            └───────┴───────┴───────┴───────┴───┴───────┘
>   all-gather in 63 steps: each rank sends a chunk to the next one, which keeps
>   it
>   step 1 of 63
>            ┌─0─────┬─1─────┬─2─────┬─3─────┬───┬─63────┐
>   rank 0   │ 20224✓│ 20339 │ 20440 │ 20527 │ … │▶28288✓│ chunk 0 ─▶ rank 1
>   rank 1   │▶20224✓│ 20352✓│ 20455 │ 20544 │ … │   264 │ chunk 1 ─▶ rank 2
>   rank 2   │    32 │▶20352✓│ 20480✓│ 20571 │ … │   411 │ chunk 2 ─▶ rank 3
>   rank 3   │    63 │    56 │▶20480✓│ 20608✓│ … │   568 │ chunk 3 ─▶ rank 4
>   … 59 more
>   rank 63  │ 20223 │ 20336 │ 20435 │ 20520 │ … │ 28288✓│ chunk 63 ─▶ rank 0
>            └───────┴───────┴───────┴───────┴───┴───────┘
>   step 2 of 63
>            ┌─0─────┬─1─────┬─2─────┬─3─────┬───┬─63────┐
>   rank 0   │ 20224✓│ 20339 │ 20440 │ 20527 │ … │ 28288✓│ chunk 63 ─▶ rank 1
>   rank 1   │ 20224✓│ 20352✓│ 20455 │ 20544 │ … │▶28288✓│ chunk 0 ─▶ rank 2
>   rank 2   │▶20224✓│ 20352✓│ 20480✓│ 20571 │ … │   411 │ chunk 1 ─▶ rank 3
>   rank 3   │    63 │▶20352✓│ 20480✓│ 20608✓│ … │   568 │ chunk 2 ─▶ rank 4
>   … 59 more
>   rank 63  │ 20223 │ 20336 │ 20435 │ 20520 │ … │ 28288✓│ chunk 62 ─▶ rank 0
>            └───────┴───────┴───────┴───────┴───┴───────┘
>   …
>   step 63 of 63
>            ┌─0─────┬─1─────┬─2─────┬─3─────┬───┬─63────┐
>   rank 0   │ 20224✓│▶20352✓│ 20480✓│ 20608✓│ … │ 28288✓│ chunk 2 ─▶ rank 1
>   rank 1   │ 20224✓│ 20352✓│▶20480✓│ 20608✓│ … │ 28288✓│ chunk 3 ─▶ rank 2
>   rank 2   │ 20224✓│ 20352✓│ 20480✓│▶20608✓│ … │ 28288✓│ chunk 4 ─▶ rank 3
>   rank 3   │ 20224✓│ 20352✓│ 20480✓│ 20608✓│ … │ 28288✓│ chunk 5 ─▶ rank 4
>   … 59 more
>   rank 63  │▶20224✓│ 20352✓│ 20480✓│ 20608✓│ … │ 28288✓│ chunk 1 ─▶ rank 0
>            └───────┴───────┴───────┴───────┴───┴───────┘
>   ▶ has come in this step, ✓ is complete; of each chunk its first element
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

$ ncclscript run --draw=steps -n 1 draw.lua
> communicator world, call 1: AllReduce int32 x 4 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                      after
>           ┌───┬───┬───┬───┐           ┌───┬───┬───┬───┐
>   rank 0  │ 1 │ 2 │ 3 │ 4 │────sum───▶│ 1 │ 2 │ 3 │ 4 │
>           └───┴───┴───┴───┘           └───┴───┴───┴───┘
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   a ring of one rank has no steps
>
> PASS  draw.lua  1 rank, sim, seed 0: 1 result verified, 13 calls

# Trees.
$ ncclscript run --draw=tree -n 8 draw.lua
> communicator world, call 1: AllReduce int32 x 4 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                          after
>           ┌────┬────┬────┬────┐           ┌─────┬─────┬─────┬─────┐
>   rank 0  │  1 │  2 │  3 │  4 │──┐     ┌─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──┤     ├─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 2  │ 21 │ 22 │ 23 │ 24 │──┤     ├─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 3  │ 31 │ 32 │ 33 │ 34 │──┼─sum─┼─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 4  │ 41 │ 42 │ 43 │ 44 │──┤     ├─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 5  │ 51 │ 52 │ 53 │ 54 │──┤     ├─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 6  │ 61 │ 62 │ 63 │ 64 │──┤     ├─▶│ 288 │ 296 │ 304 │ 312 │
>   rank 7  │ 71 │ 72 │ 73 │ 74 │──┘     └─▶│ 288 │ 296 │ 304 │ 312 │
>           └────┴────┴────┴────┘           └─────┴─────┴─────┴─────┘
>   as a tree, as NCCL's does it in principle (it has two, for half of the buffer
>   each): up, each rank joins what comes from below, in 3 steps; then down, the
>   result goes the same way back
>   rank 0  1, with all below 288
>   └─ rank 4  41, with all below 287
>      ├─ rank 2  21, with all below 63
>      │  ├─ rank 1  11
>      │  └─ rank 3  31
>      └─ rank 6  61, with all below 183
>         ├─ rank 5  51
>         └─ rank 7  71
>   the values are those of the first element
>
> PASS  draw.lua  8 ranks, sim, seed 0: 8 results verified, 97 calls

$ ncclscript run --draw=tree -n 3 --set what=broadcast draw.lua
> communicator world, call 1: Broadcast int32 x 4 root 1, line 23
>   every rank gets what rank 1 has
>           before                        after
>           ┌────┬────┬────┬────┐         ┌────┬────┬────┬────┐
>   rank 0  │  · │  · │  · │  · │      ┌─▶│ 11 │ 12 │ 13 │ 14 │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──────┼─▶│ 11 │ 12 │ 13 │ 14 │
>   rank 2  │  · │  · │  · │  · │      └─▶│ 11 │ 12 │ 13 │ 14 │
>           └────┴────┴────┴────┘         └────┴────┴────┴────┘
>   as a tree would do it; NCCL itself takes its ring for this: down, each rank
>   hands on what it gets, in 2 steps
>   rank 1  11
>   └─ rank 0  in step 1
>      └─ rank 2  in step 2
>   the values are those of the first element
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 31 calls

$ ncclscript run --draw=tree -n 4 --set what=reduce --set op=avg draw.lua
> communicator world, call 1: Reduce int32 x 4 avg root 1, line 20
>   rank 1 alone gets the avg of what all ranks have
>           before                          after
>           ┌────┬────┬────┬────┐           ┌────┬────┬────┬────┐
>   rank 0  │  1 │  2 │  3 │  4 │──┐        │  · │  · │  · │  · │
>   rank 1  │ 11 │ 12 │ 13 │ 14 │──┼─avg───▶│ 16 │ 17 │ 18 │ 19 │
>   rank 2  │ 21 │ 22 │ 23 │ 24 │──┤        │  · │  · │  · │  · │
>   rank 3  │ 31 │ 32 │ 33 │ 34 │──┘        │  · │  · │  · │  · │
>           └────┴────┴────┴────┘           └────┴────┴────┴────┘
>   as a tree would do it; NCCL itself takes its ring for this: up, each rank
>   joins what comes from below, in 2 steps
>   rank 1  11, with all below 16
>   └─ rank 3  31, with all below 53
>      ├─ rank 2  21
>      └─ rank 0  1
>   the values are those of the first element
>
> PASS  draw.lua  4 ranks, sim, seed 0: 1 result verified, 43 calls

$ ncclscript run --draw=tree -n 2 --set what=all_gather draw.lua
> communicator world, call 1: AllGather int32 x 4, line 22
>   every rank gets what all ranks have, one behind the other
>           before                            after
>           ┌─0───────┬─1───────────┐         ┌─0───────┬─1───────────┐
>   rank 0  │ 1 2 3 4 │           · │──┬───┬─▶│ 1 2 3 4 │ 11 12 13 14 │
>   rank 1  │       · │ 11 12 13 14 │──┘   └─▶│ 1 2 3 4 │ 11 12 13 14 │
>           └─────────┴─────────────┘         └─────────┴─────────────┘
>   no tree for this; --draw=steps draws the ring, where there is one
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ ncclscript run --draw=tree -n 64 --set count=1 draw.lua
> communicator world, call 1: AllReduce int32 x 1 sum, line 18
>   every rank gets the sum of what all ranks have
>            before            after
>            ┌─────┐           ┌───────┐
>   rank 0   │   1 │──┐     ┌─▶│ 20224 │
>   rank 1   │  11 │──┤     ├─▶│ 20224 │
>   rank 2   │  21 │──┼─sum─┼─▶│ 20224 │
>   rank 3   │  31 │──┤     ├─▶│ 20224 │
>   … 59 more         │     │
>   rank 63  │ 631 │──┘     └─▶│ 20224 │
>            └─────┘           └───────┘
>   as a tree, as NCCL's does it in principle (it has two, for half of the buffer
>   each): up, each rank joins what comes from below, in 6 steps; then down, the
>   result goes the same way back
>   rank 0  1, with all below 20224
>   └─ rank 32  321, with all below 20223
>      ├─ rank 16  161, with all below 4991
>      │  ├─ rank 8  81, with all below 1215
>      │  │  ├─ rank 4  41, with all below 287
>      │  │  │  └─ … 6 below it
>      │  │  └─ rank 12  121, with all below 847
>      │  │     └─ … 6 below it
>      │  └─ rank 24  241, with all below 3615
>      │     ├─ rank 20  201, with all below 1407
>      │     │  └─ … 6 below it
>      │     └─ rank 28  281, with all below 1967
>      │        └─ … 6 below it
>      └─ rank 48  481, with all below 14911
>         ├─ rank 40  401, with all below 6015
>         │  ├─ rank 36  361, with all below 2527
>         │  │  └─ … 6 below it
>         │  └─ rank 44  441, with all below 3087
>         │     └─ … 6 below it
>         └─ rank 56  561, with all below 8415
>            ├─ rank 52  521, with all below 3647
>            │  └─ … 6 below it
>            └─ rank 60  601, with all below 4207
>               └─ … 6 below it
>   the values are those of the first element
>
> PASS  draw.lua  64 ranks, sim, seed 0: 64 results verified, 769 calls

# Wrong results are marked.
$ ncclscript run --draw draw_wrong.lua
> communicator world, call 1: AllReduce int32 x 6 sum, in place, line 9
>   every rank gets the sum of what all ranks have
>           before                              after
>           ┌───┬───┬───┬───┬───┬───┐           ┌───┬──────┬──────┬────┬────┬────┐
>   rank 0  │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │──┐     ┌─▶│ 6 │    9 │   12 │ 15 │ 18 │ 21 │
>   rank 1  │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │──┼─sum─┼─▶│ 6 │ -10! │ -13! │ 15 │ 18 │ 21 │
>   rank 2  │ 3 │ 4 │ 5 │ 6 │ 7 │ 8 │──┘     └─▶│ 6 │    9 │   12 │ 15 │ 18 │ 21 │
>           └───┴───┴───┴───┴───┴───┘           └───┴──────┴──────┴────┴────┴────┘
>   ! the result is wrong on rank 1
>
> communicator world, call 2: AllGather int32 x 3, line 10
>   every rank gets what all ranks have, one behind the other
>           before                                after
>           ┌─0─────┬─1───────┬─2───────┐         ┌─0─────┬─1─────────┬─2───────┐
>   rank 0  │ 1 2 … │       · │       · │──┐   ┌─▶│ 1 2 … │   11 12 … │ 21 22 … │
>   rank 1  │     · │ 11 12 … │       · │──┼───┼─▶│ 1 2 … │   11 12 … │ 21 22 … │
>   rank 2  │     · │       · │ 21 22 … │──┘   └─▶│ 1 2 … │ 11 -13! … │ 21 22 … │
>           └───────┴─────────┴─────────┘         └───────┴───────────┴─────────┘
>   ! the result is wrong on rank 2
>
> communicator world, call 3: AlltoAll int32 x 3, line 11
>   part d of what rank s has becomes part s of what rank d gets
>           before                   after
>           ┌─0──┬─1──┬─2──┐         ┌─0──┬─1──┬─2──┐
>   rank 0  │ A0 │ A1 │ A2 │──┐   ┌─▶│ ?! │ B0 │ C0 │
>   rank 1  │ B0 │ B1 │ B2 │──┼───┼─▶│ A1 │ B1 │ C1 │
>   rank 2  │ C0 │ C1 │ C2 │──┘   └─▶│ A2 │ B2 │ C2 │
>           └────┴────┴────┘         └────┴────┴────┘
>   ! the result is wrong on rank 0
>   A0 is part 0 of what the first rank puts in, B1 part 1 of the second's
>
> communicator world, call 4: AllReduce int32 x 100000 sum, in place, line 12
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>   the result is wrong, further on, on rank 1
>
> PASS  draw_wrong.lua  3 ranks, sim, seed 0: wrong as declared: rank 1, element 2

# What is not over: who has come, who is missing, who makes another call.
$ ncclscript run --draw draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 0 │ 0 │ 0 │ 0 │ 0 │ 0 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┤     ├─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 3  │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>
> communicator world, call 2, not over: AllReduce float32 x 8 sum
>   every rank gets the sum of what all ranks have
>           before
>           ┌───┐
>   rank 0  │ A │──┐  has come, waits, line 8
>   rank 1  │ B │──┤  has come, waits, line 8
>   rank 2   · · ✗ │  missing: made 1 call
>   rank 3  │ D │──┘  has come, waits, line 8
>           └───┘
>   it waits for rank 2
>   A is what the first rank puts in, B the second's, and so on
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: skipped-call, rank 2

$ ncclscript run --draw --set how=odds draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 0 │ 0 │ 0 │ 0 │ 0 │ 0 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┤     ├─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 3  │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>
> communicator world, call 2, not over: AllReduce float32 x 8 sum
>   every rank gets the sum of what all ranks have
>           before
>           ┌───┐
>   rank 0  │ A │──┐  has come, waits, line 13
>   rank 1  │ B │──┤  has come, waits, line 13
>   rank 2  │ · │  │  at odds: Broadcast float32 x 8 root 1, line 11
>   rank 3  │ D │──┘  has come, waits, line 13
>           └───┘
>   A is what the first rank puts in, B the second's, and so on
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: kind-mismatch, rank 2

$ ncclscript run --draw --set how=send draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 0 │ 0 │ 0 │ 0 │ 0 │ 0 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┤     ├─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 3  │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>
> communicator world: 3 sends with their receives, float32 x 8
>   rank 1 ──✗▶ rank 0  no receive has come from rank 0, line 16
>   rank 2 ──✗▶ rank 1  no receive has come from rank 1, line 16
>   rank 3 ──✗▶ rank 2  no receive has come from rank 2, line 16
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: send-without-recv, rank 0

$ ncclscript run --draw --set how=behind draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 0 │ 0 │ 0 │ 0 │ 0 │ 0 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┤     ├─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 3  │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>
> communicator world, call 2, not over: AllReduce float32 x 8 sum
>   every rank gets the sum of what all ranks have
>           before
>           ┌───┐
>   rank 0  │ A │──┐  has come, waits, line 22
>   rank 1  │ B │──┤  has come, waits, line 22
>   rank 2   · · ✗ │  missing: made 1 call
>   rank 3  │ D │──┘  has come, waits, line 22
>           └───┘
>   it waits for rank 2
>   A is what the first rank puts in, B the second's, and so on
>
> … and 1 more; -v draws them
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: host-wait, rank 2

$ ncclscript run --draw --set how=root draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                  after
>           ┌───┬───┬───┬───┬───┬───┬───┐           ┌───┬───┬───┬───┬───┬───┬───┐
>   rank 0  │ 0 │ 0 │ 0 │ 0 │ 0 │ 0 │ … │──┐     ┌─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 1  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ … │──┼─sum─┼─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 2  │ 2 │ 2 │ 2 │ 2 │ 2 │ 2 │ … │──┤     ├─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>   rank 3  │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │ … │──┘     └─▶│ 6 │ 6 │ 6 │ 6 │ 6 │ 6 │ … │
>           └───┴───┴───┴───┴───┴───┴───┘           └───┴───┴───┴───┴───┴───┴───┘
>
> communicator world, call 2, not over: Scatter float32 x 8 root 1
>   each rank gets its own part of what rank 1 has
>           before
>           ┌─0─┬─1─┬─2─┬─3─┐
>   rank 0  │ · │ · │ · │ · │     called, has not begun, line 25
>   rank 1   · · · · · · · · ✗    missing: made 1 call
>   rank 2  │ · │ · │ · │ · │     called, has not begun, line 25
>   rank 3  │ · │ · │ · │ · │     called, has not begun, line 25
>           └───┴───┴───┴───┘
>   it waits for rank 1
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: skipped-call, rank 1

$ ncclscript run --draw -n 64 draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>            before                              after
>            ┌────┬────┬────┬────┬───┐           ┌──────┬──────┬──────┬──────┬───┐
>   rank 0   │  0 │  0 │  0 │  0 │ … │──┐     ┌─▶│ 2016 │ 2016 │ 2016 │ 2016 │ … │
>   rank 1   │  1 │  1 │  1 │  1 │ … │──┤     ├─▶│ 2016 │ 2016 │ 2016 │ 2016 │ … │
>   rank 2   │  2 │  2 │  2 │  2 │ … │──┼─sum─┼─▶│ 2016 │ 2016 │ 2016 │ 2016 │ … │
>   rank 3   │  3 │  3 │  3 │  3 │ … │──┤     ├─▶│ 2016 │ 2016 │ 2016 │ 2016 │ … │
>   … 59 more                           │     │
>   rank 63  │ 63 │ 63 │ 63 │ 63 │ … │──┘     └─▶│ 2016 │ 2016 │ 2016 │ 2016 │ … │
>            └────┴────┴────┴────┴───┘           └──────┴──────┴──────┴──────┴───┘
>
> communicator world, call 2, not over: AllReduce float32 x 8 sum
>   every rank gets the sum of what all ranks have
>            before
>            ┌────┐
>   rank 0   │  A │──┐  has come, waits, line 8
>   rank 1   │  B │──┤  has come, waits, line 8
>   rank 2   │  C │──┤  has come, waits, line 8
>   rank 3   │  D │──┤  has come, waits, line 8
>   … 58 more        │
>   rank 62   · ·  ✗ │  missing: made 1 call
>   rank 63  │ BL │──┘  has come, waits, line 8
>            └────┘
>   it waits for rank 62
>   A is what the first rank puts in, B the second's, and so on
>
> PASS  draw_hang.lua  64 ranks, sim, seed 0: hang as declared: skipped-call, rank 62

# Ranks of a part have numbers of their own.
$ ncclscript run --draw draw_split.lua
> communicator even, call 1: AllReduce int32 x 2 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>                before              after
>                ┌───┬───┐           ┌───┬───┐
>   rank 2 as 0  │ 2 │ 2 │──┬─sum─┬─▶│ 2 │ 2 │
>   rank 0 as 1  │ 0 │ 0 │──┘     └─▶│ 2 │ 2 │
>                └───┴───┘           └───┴───┘
>
> communicator odd, call 1: AllReduce int32 x 2 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>                before              after
>                ┌───┬───┐           ┌───┬───┐
>   rank 3 as 0  │ 3 │ 3 │──┬─sum─┬─▶│ 4 │ 4 │
>   rank 1 as 1  │ 1 │ 1 │──┘     └─▶│ 4 │ 4 │
>                └───┴───┘           └───┴───┘
>
> communicator even, call 2: Broadcast int32 x 2 root 1, in place, line 7
>   every rank gets what rank 0 as 1 has
>                before            after
>                ┌───┬───┐         ┌───┬───┐
>   rank 2 as 0  │ · │ · │      ┌─▶│ 2 │ 2 │
>   rank 0 as 1  │ 2 │ 2 │──────┴─▶│ 2 │ 2 │
>                └───┴───┘         └───┴───┘
>
> communicator odd, call 2: Broadcast int32 x 2 root 1, in place, line 7
>   every rank gets what rank 1 as 1 has
>                before            after
>                ┌───┬───┐         ┌───┬───┐
>   rank 3 as 0  │ · │ · │      ┌─▶│ 4 │ 4 │
>   rank 1 as 1  │ 4 │ 4 │──────┴─▶│ 4 │ 4 │
>                └───┴───┘         └───┴───┘
>
> PASS  draw_split.lua  4 ranks, sim, seed 0: 8 results verified, 53 calls

# Of many calls the first ones; -v draws them all.
$ ncclscript run --draw draw_many.lua | grep -cE '^communicator'
> 8

$ ncclscript run --draw draw_many.lua | grep more
> … and 12 more; -v draws them

$ ncclscript run --draw -v draw_many.lua | grep -cE '^communicator'
> 20

# Plain ASCII where the locale is not UTF-8, or the terminal is dumb.
$ LC_ALL=C ncclscript run --draw -n 3 --set count=1 draw.lua
> communicator world, call 1: AllReduce int32 x 1 sum, line 18
>   every rank gets the sum of what all ranks have
>           before           after
>           +----+           +----+
>   rank 0  |  1 |--+     +->| 33 |
>   rank 1  | 11 |--+-sum-+->| 33 |
>   rank 2  | 21 |--+     +->| 33 |
>           +----+           +----+
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ LC_ALL= LC_CTYPE= LANG=en_US.utf8 ncclscript run --draw -n 1 --set count=1 draw.lua
> communicator world, call 1: AllReduce int32 x 1 sum, line 18
>   every rank gets the sum of what all ranks have
>           before          after
>           ┌───┐           ┌───┐
>   rank 0  │ 1 │────sum───▶│ 1 │
>           └───┘           └───┘
>
> PASS  draw.lua  1 rank, sim, seed 0: 1 result verified, 13 calls

$ TERM=dumb ncclscript run --draw=steps -n 2 --set count=2 draw.lua
> communicator world, call 1: AllReduce int32 x 2 sum, line 18
>   every rank gets the sum of what all ranks have
>           before                after
>           +----+----+           +----+----+
>   rank 0  |  1 |  2 |--+-sum-+->| 12 | 14 |
>   rank 1  | 11 | 12 |--+     +->| 12 | 14 |
>           +----+----+           +----+----+
>   in steps, as NCCL's ring does it in principle: without its channels, the
>   slices of chunks and the protocol; the simulator computes in one pass
>   reduce-scatter in 1 step: each rank sends a chunk to the next one, which joins
>   it to its own
>   step 1 of 1
>           +-0--+-1--+
>   rank 0  |>12*|  2 | chunk 1 -> rank 1
>   rank 1  | 11 |>14*| chunk 0 -> rank 0
>           +----+----+
>   all-gather in 1 step: each rank sends a chunk to the next one, which keeps it
>   step 1 of 1
>           +-0--+-1--+
>   rank 0  | 12*|>14*| chunk 0 -> rank 1
>   rank 1  |>12*| 14*| chunk 1 -> rank 0
>           +----+----+
>   > has come in this step, * is complete; of each chunk its first element
>
> PASS  draw.lua  2 ranks, sim, seed 0: 2 results verified, 25 calls

$ LC_ALL=POSIX ncclscript run --draw=tree -n 3 --set count=1 draw.lua
> communicator world, call 1: AllReduce int32 x 1 sum, line 18
>   every rank gets the sum of what all ranks have
>           before           after
>           +----+           +----+
>   rank 0  |  1 |--+     +->| 33 |
>   rank 1  | 11 |--+-sum-+->| 33 |
>   rank 2  | 21 |--+     +->| 33 |
>           +----+           +----+
>   as a tree, as NCCL's does it in principle (it has two, for half of the buffer
>   each): up, each rank joins what comes from below, in 2 steps; then down, the
>   result goes the same way back
>   rank 0  1, with all below 33
>   +- rank 2  21, with all below 32
>      +- rank 1  11
>   the values are those of the first element
>
> PASS  draw.lua  3 ranks, sim, seed 0: 3 results verified, 37 calls

$ LC_ALL=C ncclscript run --draw draw_hang.lua
> communicator world, call 1: AllReduce float32 x 8 sum, in place, line 6
>   every rank gets the sum of what all ranks have
>           before                                after
>           +---+---+---+---+---+-----+           +---+---+---+---+---+-----+
>   rank 0  | 0 | 0 | 0 | 0 | 0 | ... |--+     +->| 6 | 6 | 6 | 6 | 6 | ... |
>   rank 1  | 1 | 1 | 1 | 1 | 1 | ... |--+-sum-+->| 6 | 6 | 6 | 6 | 6 | ... |
>   rank 2  | 2 | 2 | 2 | 2 | 2 | ... |--+     +->| 6 | 6 | 6 | 6 | 6 | ... |
>   rank 3  | 3 | 3 | 3 | 3 | 3 | ... |--+     +->| 6 | 6 | 6 | 6 | 6 | ... |
>           +---+---+---+---+---+-----+           +---+---+---+---+---+-----+
>
> communicator world, call 2, not over: AllReduce float32 x 8 sum
>   every rank gets the sum of what all ranks have
>           before
>           +---+
>   rank 0  | A |--+  has come, waits, line 8
>   rank 1  | B |--+  has come, waits, line 8
>   rank 2   . . x |  missing: made 1 call
>   rank 3  | D |--+  has come, waits, line 8
>           +---+
>   it waits for rank 2
>   A is what the first rank puts in, B the second's, and so on
>
> PASS  draw_hang.lua  4 ranks, sim, seed 0: hang as declared: skipped-call, rank 2

# It is for people, and shows what verification sees.
$ ncclscript run --draw --format json draw.lua
! ncclscript: error: --draw is for people: it does not go with --format json
? 2

$ ncclscript run --draw=steps --format tap draw.lua
! ncclscript: error: --draw is for people: it does not go with --format tap
? 2

$ ncclscript run --draw --no-verify draw.lua
! ncclscript: error: --draw shows what verification sees: it does not go with --no-verify
? 2

$ ncclscript run --draw=rings draw.lua
! ncclscript run: `--draw rings`: expected `calls`, `steps` or `tree`
! try `ncclscript run --help`
? 2

$ ncclscript run --draw -q draw.lua

$ ncclscript run --draw needs.lua
> SKIPPED  needs.lua[gpus=8]  2 ranks, sim, seed 0: needs 64 GPUs, the simulated machine has 8
> SKIPPED  needs.lua[gpus=16]  2 ranks, sim, seed 0: needs 64 GPUs, the simulated machine has 8
> SKIPPED  needs.lua[gpus=99]  2 ranks, sim, seed 0: needs 64 GPUs, the simulated machine has 8
> 3 cases of 1 scenario: 0 as expected, 3 skipped (needs 64 GPUs, the simulated machine has 8)
? 77


# Groups of a split keep their names when each is made by threads of its own.
$ ncclscript run --draw split_by_threads.lua | grep communicator
> communicator pair, call 1: AllReduce int32 x 1 sum, in place, line 8
> communicator pair, call 1: AllReduce int32 x 1 sum, in place, line 8
