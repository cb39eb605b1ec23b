# ThreadSanitizer holds a signal back from a thread that is inside of Lua's library.
@ prompt-signals

# One interrupt is enough where a call does not end; the time that the run has to come back is the
# program's own.
$ ncclscript run --unsafe deaf.lua & until [ -e told ]; do sleep 0.1; done; kill -TERM $!; wait $!
> INTERRUPTED  deaf.lua  2 ranks, sim, seed 0
! ncclscript run: --unsafe: scripts may run programs and use files
! ncclscript run: interrupted, and a rank does not return from a call of Lua: given up
? 130

# What was done before an interrupt is told, as a whole that can be read.
$ for f in text json junit tap; do rm -f told; ncclscript run --unsafe --format $f endless.lua >out.$f 2>/dev/null & until [ -e told ]; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; done; cat out.text
> 130
> 130
> 130
> 130
> PASS  endless.lua[n=1]  <*>
> INTERRUPTED  endless.lua[n=2]  1 rank, sim, seed 0
> ...
> 3 cases of 1 scenario: 1 as expected, 1 unexpected (1 interrupted), 1 not run

$ cut -d, -f 1-3 out.json; grep -c '<testcase' out.junit; tail -n 1 out.junit; grep -E '^(ok|not ok|Bail)' out.tap
> {"schema": "ncclscript.report/1", "scenario": "endless.lua", "case": {"n": 1}
> {"schema": "ncclscript.report/1", "scenario": "endless.lua", "case": {"n": 2}
> 3
> </testsuites>
> ok 1 - endless.lua[n=1]
> not ok 2 - endless.lua[n=2]
> Bail out! interrupted, not run: 1

# Several processes are interrupted together, and none is left.
$ rm -f told; ncclscript run --unsafe -j 2 endless.lua hang.lua >out 2>/dev/null & p=$!; until [ -e told ]; do sleep 0.1; done; pgrep -P $p >children; kill -INT $p; wait $p; echo $?; while read -r c; do kill -0 $c 2>/dev/null && echo "$c is left"; done <children; wc -l <children; cat out
> 130
> 2
> PASS  endless.lua[n=1]  <*>
> INTERRUPTED  endless.lua[n=2]  <*>
> ...
> 4 cases of 2 scenarios: <*>

# So does a request to end.
$ rm -f told; ncclscript run --unsafe -j 2 endless.lua >out 2>/dev/null & until [ -e told ]; do sleep 0.1; done; kill -TERM $!; wait $!; echo $?; tail -n 1 out
> 130
> 3 cases of 1 scenario: <*>

# And while a scenario is still read, for a file and for a suite: the pipe opens when the program reads it.
$ mkfifo unread; for j in 1 2; do ncclscript run -j $j unread >out 2>&1 & p=$!; exec 9>unread; kill -TERM $p; wait $p; echo $?; exec 9>&-; done; wc -c <out
> 130
> 130
> 0

# timeout(1) tells a process and then its whole group: that is one interrupt, for several processes too.
$ for j in 1 2; do rm -f told; timeout 300 ncclscript run --unsafe -j $j --format tap endless.lua >out 2>err & until [ -e told ]; do sleep 0.1; done; kill -TERM $!; wait $!; echo $?; grep '^not ok' out; grep -v unsafe err; done
> 130
> not ok 2 - endless.lua[n=2]
> 130
> not ok 2 - endless.lua[n=2]
? 1

# An interrupt while a pipe is full is no failure to write: the report comes when somebody reads again.
$ mkfifo full; (until [ -e read ]; do sleep 0.1; done; cat) <full >out & ncclscript run --timeout 60s -v loud.lua >full & pid=$!; sleep 1; kill -INT $pid; sleep 0.2; touch read; wait $pid; echo $?; wait; grep -c '^INTERRUPTED' out
> 130
> 1
