# Nothing of this has threads.
@ without-tsan

# Scenarios in YAML: lines are those of the YAML text, wherever they are told.
$ ncclscript run notation/skip.yaml
> HANG  notation/skip.yaml  4 ranks, sim, seed 0
>   communicator world, call 3: AllReduce float32 x 1 sum
>     rank 0  waits in stream:sync()         line 10
>     rank 1  waits in stream:sync()         line 10
>     rank 2  never made call 3: finished    line 10
>     rank 3  waits in stream:sync()         line 10
>   code  9 | all_reduce: metric
>         10 | - sync: stream
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at line 9
>   fix   let rank 2 make the call at line 9 too: every rank of a communicator makes the same calls in the same order
>   tried with this one call inserted on rank 2 the run passes
>   more  ncclscript explain skipped-call
? 3

$ ncclscript run notation/wrong.yaml
> WRONG  notation/wrong.yaml  3 ranks, sim, seed 0
>   communicator world, call 1: AllGather int32 x 4
>     rank 0  element 5: got 1, want 2; 8 of 12 differ    line 10
>     rank 1  element 5: got 1, want 2; 8 of 12 differ    line 10
>     rank 2  element 5: got 1, want 2; 8 of 12 differ    line 10
>   why   rank 1's block is replaced by rank 0's, and so on
>   expectations that failed
>     ranks 0, 1, 2  element 5: got 1, want 2 (8 of 12 differ)    line 15
>     rank 2         only two                                     line 16
>   communicator world, call 1: AllGather int32 x 4
>   code  10 | - all_gather:
>   note  the buffers of rank 1 in AllGather int32 x 4 at line 10 overlap: both begin at the same byte, so parts are overwritten before they are sent; in place the smaller buffer of rank 1 has to be block 1 of the larger one
>   undefined NCCL promises nothing here, and machines differ
>   fix   give the call two buffers, or let the send buffer of each rank begin at element rank * 4 of its receive buffer, as block number rank: on rank 1 at element 4
>   more  ncclscript explain buffer-overlap
? 1

# An error that ends a rank, and its way through the script; messages and tracebacks of Lua's own.
$ ncclscript run -v notation/error.yaml
> ERROR  notation/error.yaml  1 rank, sim, seed 0
>   about an error that nobody catches
>     rank 0  attempt to index a nil value (field 'no')    line 9
>             stack traceback:
>              notation/error.yaml:9: in local 'use'
>              notation/error.yaml:12: in main chunk
>              [C]: in ?
>   code  9 | return y.no.such
>   5 calls, 1 results verified, 0 not, 0 expectations
>   trace 36f276488ceffd7e, virtual time 10 us, NCCL 2.32.3, strict policy
? 4

$ ncclscript run notation/caught.yaml
> [0] false	here
> [0] false	notation/caught.yaml:7: attempt to perform arithmetic on a nil value
> [0] 9
> [0] trace
> [0] stack traceback:
> [0] 	notation/caught.yaml:10: in main chunk
> [0] 	[C]: in ?
> PASS  notation/caught.yaml  1 rank, sim, seed 0: 0 results verified, 6 calls

# All that is wrong is told in one go; then what only the declaration can find.
$ ncclscript run notation/bad.yaml
! notation/bad.yaml:1:1: error: no such key 'rank' in a scenario
!     1 | rank: 4
!       | ^^^^
!   hint: did you mean 'ranks'?
! notation/bad.yaml:5:28: error: no such key 'rot' in all_reduce
!     5 |   - all_reduce: { send: x, rot: 1 }
!       |                            ^^^
!   hint: all_reduce takes send, recv, op, count, comm, stream and verify
! notation/bad.yaml:6:5: error: no such key 'allgather' in a step
!     6 |   - allgather: x
!       |     ^^^^^^^^^
!   hint: did you mean 'all_gather'?
? 2

$ ncclscript run notation/late.yaml
! notation/late.yaml:5:1: error: ranks = 1000000: expected 1 to 65536
!     5 | ranks: param.rows * param.rows
!       | ^^^^^
? 2

# What is most likely not what was meant does not stop anything.
$ ncclscript run notation/warned.yaml
> PASS  notation/warned.yaml  2 ranks, sim, seed 0: <*>
! notation/warned.yaml:1:11: warning: a typographic quote (U+201C) is a part of this text
!     1 | scenario: “quoted by a word processor”
!       |           ^
!   hint: quote with " or '

$ ncclscript run -q notation/warned.yaml

# In a folder, YAML of other programs is left alone; what is meant as a scenario is not overlooked.
$ ncclscript run -q notation/mixed
> HANG  notation/mixed/a.yml  4 ranks, sim, seed 0
>   communicator world, call 3: AllReduce float32 x 1 sum
>     rank 0  waits in stream:sync()         line 10
>     rank 1  waits in stream:sync()         line 10
>     rank 2  never made call 3: finished    line 10
>     rank 3  waits in stream:sync()         line 10
>   code  9 | all_reduce: metric
>         10 | - sync: stream
>   why   rank 2 made 2 calls on world; ranks 0, 1, 3 made 3: call 3 is at line 9
>   fix   let rank 2 make the call at line 9 too: every rank of a communicator makes the same calls in the same order
>   tried with this one call inserted on rank 2 the run passes
>   more  ncclscript explain skipped-call
> 4 scenarios: 1 as expected, 3 unexpected (2 invalid, 1 hang)
! ncclscript: left out: notation/mixed/docker-compose.yaml: no `steps` and no `scenario` at the top level
! notation/mixed/own.ncclscript.yaml:1:1: error: a scenario must be a mapping with steps, got nothing
!     1 | # Nothing yet.
!       | ^
! notation/mixed/typo.yaml:2:1: error: no such key 'step' in a scenario
!     2 | step:
!       | ^^^^
!   hint: did you mean 'steps'?
? 2

# Standard input, and a file whose name says nothing, are what they look like.
$ ncclscript run - <notation/skip.yaml | head -n 1
> HANG  -  4 ranks, sim, seed 0

$ cp notation/skip.yaml skip.txt; ncclscript run skip.txt | head -n 1
> HANG  skip.txt  4 ranks, sim, seed 0

$ ncclscript convert - <notation/caught.yaml | head -n 1
> scenario { about = "what a script is told of lines", ranks = 1 }

# The Lua that does the same. A file is written whole or not at all.
$ ncclscript convert notation/skip.yaml
> scenario { about = "one rank leaves out a call", ranks = 4 }
>
> local loss = cuda.buffer("float32", 1024):fill(rank)
> local metric = cuda.buffer("float32", 1):fill(rank)
>
> world:all_reduce(loss)
> for step = 1, 2 do
>   if not (rank == 2 and step == 2) then
>     world:all_reduce(metric)
>   end
> end
> stream:sync()

$ ncclscript convert notation/skip.yaml -o skip.lua && ncclscript run skip.lua | head -n 2
> HANG  skip.lua  4 ranks, sim, seed 0
>   communicator world, call 3: AllReduce float32 x 1 sum

$ ncclscript convert notation/skip.yaml -o skip.lua
! skip.lua: error: exists already
!   hint: --force replaces it
? 2

$ ncclscript convert notation/skip.yaml -o notation
! notation: error: cannot be written: Is a directory
? 2

$ ncclscript convert notation/caught.yaml -o skip.lua --force && head -n 1 skip.lua
> scenario { about = "what a script is told of lines", ranks = 1 }

# What replaces a file leaves its access as it is, and a link to it a link.
$ chmod 600 skip.lua; ln -s skip.lua link.lua; ncclscript convert notation/skip.yaml -o link.lua --force; stat -c '%A %N' skip.lua link.lua; head -c 10 skip.lua
> -rw------- 'skip.lua'
> lrwxrwxrwx 'link.lua' -> 'skip.lua'
> scenario {

$ ncclscript convert notation/bad.yaml -o never.lua 2>&1 | tail -n 1; test -e never.lua
>   hint: did you mean 'all_gather'?
? 1

$ ncclscript convert notation/skip.yaml -o nowhere/skip.lua
! nowhere/skip.lua: error: cannot be written: No such file or directory
? 2

$ ncclscript convert notation/skip.yaml >/dev/full
! ncclscript: cannot write the output: No space left on device
? 74

$ ncclscript convert pass.lua
! pass.lua: error: is no scenario in YAML
!   hint: these are named *.yaml or *.yml, and have `steps:` at their top level
? 2

$ ncclscript convert nothing.yaml
! nothing.yaml: error: cannot be opened: No such file or directory
? 2

$ ncclscript convert notation
! notation: error: is a folder, expected a scenario
? 2

$ ncclscript convert
! ncclscript convert: no scenario was given
! try `ncclscript convert --help`
? 2

$ ncclscript convert notation/skip.yaml notation/bad.yaml
! ncclscript convert: one file at a time
! try `ncclscript convert --help`
? 2

# Text that is no scenario.
$ touch empty.yaml; ncclscript run empty.yaml
! empty.yaml:1:1: error: a scenario must be a mapping with steps, got nothing
!     1 | 
!       | ^
? 2

$ printf 'steps:\n  - barrier: \0true\n' >zero.yaml; ncclscript run zero.yaml
! zero.yaml:2:14: error: character U+0000 is not allowed in YAML
!     2 |   - barrier: true
!       |              ^
!   hint: between double quotes it is written "\u0000"
? 2

$ mkdir folder.yaml; ncclscript convert folder.yaml
! folder.yaml: error: is a folder, expected a scenario
? 2

$ truncate -s 1G large.yaml; ncclscript run large.yaml
! large.yaml: error: the file is longer than 16 MiB
? 2

$ head -c 20000 /dev/zero | tr '\0' '[' >brackets.yaml; ncclscript run brackets.yaml 2>&1 | head -n 1
> brackets.yaml:1:65: error: too many levels: the limit is 64

# The JSON Schema.
$ ncclscript schema extra
! ncclscript schema: takes no operands, `extra` is one
! try `ncclscript schema --help`
? 2

@ jq
$ ncclscript run --format json notation/bad.yaml 2>/dev/null | jq -c '.verdict, .exit, (.errors[] | [.kind, .file, .line, .column, .message, .detail])'
> "invalid"
> 2
> ["scenario","notation/bad.yaml",1,1,"no such key 'rank' in a scenario","did you mean 'ranks'?"]
> ["scenario","notation/bad.yaml",5,28,"no such key 'rot' in all_reduce","all_reduce takes send, recv, op, count, comm, stream and verify"]
> ["scenario","notation/bad.yaml",6,5,"no such key 'allgather' in a step","did you mean 'all_gather'?"]

$ ncclscript run --format json notation/late.yaml 2>/dev/null | jq -c '.errors[] | [.kind, .file, .line, .column, .message]'
> ["scenario","notation/late.yaml",5,1,"ranks = 1000000: expected 1 to 65536"]

$ ncclscript schema | jq -r '."$schema"'
> http://json-schema.org/draft-07/schema#

# A declaration that is found to be wrong when it is read has its own line.
$ ncclscript run notation/places.yaml
! notation/places.yaml:8:13: error: outcome: culprit = 2: the run has ranks 0 to 1
!     8 |     hang: { culprit: 2 }
!       |             ^^^^^^^
!   hint: ranks count from 0
? 2

$ ncclscript run --set n=two notation/places.yaml
! notation/places.yaml:3:11: error: parameter `n`: `two`: expected an integer
!     3 | params: { n: 1 }
!       |           ^
? 2

# With -n there may be a rank 7: told, and not refused.
$ ncclscript check notation/outside.yaml
> notation/outside.yaml:3:30: warning: init: rank 7: the run has ranks 0 to 3
>     3 | comms: { row: { init: [0, 1, 7] } }
>       |                              ^
> no errors in 1 file

# Lua would round down how often something is repeated.
$ printf 'ranks: 3\nsteps:\n  - repeat: nranks / 2\n    do: [ { sync: stream } ]\n' >half.yaml; ncclscript run half.yaml
> ERROR  half.yaml  3 ranks, sim, seed 0
>     ranks 0, 1, 2  repeat takes a whole number    line 3
>   code  3 | - repeat: nranks / 2
? 4
$ ncclscript run -n 4 half.yaml
> PASS  half.yaml  4 ranks, <*>
