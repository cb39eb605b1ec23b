# Several processes: the same bytes in the same order, whatever their number.
$ for n in 1 2 3 9; do ncclscript run -v -j $n matrix.lua suite print.lua wrong.lua >out.$n 2>err.$n; echo $?; cmp out.1 out.$n; cmp err.1 err.$n; done
> 3
> 3
> 3
> 3

$ for f in json junit tap tree dot; do for n in 1 2 5; do ncclscript run --no-times --format $f -j $n matrix.lua suite print.lua key.lua >out.$n 2>err.$n; cmp out.1 out.$n; cmp err.1 err.$n; done; done

$ for n in 1 4; do ncclscript run --repeat 5 -j $n matrix.lua hang.lua pass.lua >out.$n; done; cmp out.1 out.4

$ for n in 1 3; do ncclscript run --fail-fast -j $n matrix.lua suite matrix.lua pass.lua >out.$n; echo $?; done; cmp out.1 out.3; tail -n 1 out.3
> 3
> 3
> 16 cases of 6 scenarios: 6 as expected, 1 unexpected (1 hang), 9 not run

# NCCL's log too, on standard output and in a file.
$ for n in 1 3; do NCCL_DEBUG=INFO ncclscript run -j $n matrix.lua >out.$n; NCCL_DEBUG=INFO NCCL_DEBUG_FILE=log.$n ncclscript run -j $n matrix.lua pass.lua; done | grep -c PASS; cmp out.1 out.3; cmp log.1 log.3; test -s log.3
> 14

# A process that is lost is lost with one case.
$ ncclscript run --unsafe -j 2 killed.lua
> [0] case	1
> PASS  killed.lua[n=1]  <*>
> [0] case	2
> INTERNAL  killed.lua[n=2]
>   why   the process of this run was ended by signal 9 (Killed)
> ...
> [0] case	3
> PASS  killed.lua[n=3]  <*>
> [0] case	4
> PASS  killed.lua[n=4]  <*>
> 4 cases of 1 scenario: 3 as expected, 1 unexpected (1 internal)
! ncclscript run: --unsafe: scripts may run programs and use files
? 70

$ ncclscript run --unsafe -j 2 --format tap killed.lua | grep -E '^(ok|not ok|1\.\.)'
> ok 1 - killed.lua[n=1]
> not ok 2 - killed.lua[n=2]
> ok 3 - killed.lua[n=3]
> ok 4 - killed.lua[n=4]
> 1..4
! ncclscript run: --unsafe: <*>
! ncclscript: error: the process of this run was ended by signal 9 (Killed)

# So is one that does not come back, beside which the rest is run.
$ mkfifo nobody_writes && ncclscript run --unsafe -q -j 2 --timeout 1s stuck.lua pass.lua wrong.lua
> TIMEOUT  stuck.lua  2 ranks, sim, seed 0: no verdict within the time limit, <*>
> WRONG  wrong.lua  <*>
> ...
> 3 scenarios: 1 as expected, 2 unexpected (1 wrong, 1 timeout)
! ncclscript run: --unsafe: <*>
! ncclscript run: stuck.lua: past the time limit, <*>: given up
? 1

$ ncclscript run -j 0 pass.lua
> PASS  pass.lua  <*>

$ ncclscript run -q -j auto pass.lua matrix.lua
> 7 cases of 2 scenarios: 7 as expected

$ ncclscript run -j x pass.lua
! ncclscript run: `--jobs x`: expected a whole number from 0 to 1024, or `auto`
! try `ncclscript run --help`
? 2

$ ncclscript run -j -1 pass.lua
! ncclscript run: `--jobs -1`: expected a whole number from 0 to 1024, or `auto`
! try `ncclscript run --help`
? 2

# What cannot be written is told, and nobody is left behind who would.
$ ncclscript run -j 2 matrix.lua >/dev/full
! ncclscript: cannot write the output: No space left on device
? 74

$ ncclscript run -j 2 --repeat 100 --format json matrix.lua | head -n 1 | cut -c 1-20; echo "${PIPESTATUS[0]}"
> {"schema": "ncclscri
> 141
