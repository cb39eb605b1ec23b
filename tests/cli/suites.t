# Cases of a matrix: their order, their names, and how one is run alone.
$ ncclscript run matrix.lua
> PASS  matrix.lua[ranks=2,dtype=float32,n=1]  2 ranks, sim, seed 0: 2 results verified, <*>
> PASS  matrix.lua[ranks=2,dtype=float32,n=1000]  2 ranks, <*>
> PASS  matrix.lua[ranks=2,dtype=int8,n=1]  2 ranks, <*>
> PASS  matrix.lua[ranks=2,dtype=int8,n=1000]  2 ranks, <*>
> PASS  matrix.lua[ranks=4,dtype=float32,n=1000]  4 ranks, <*>
> PASS  matrix.lua[ranks=4,dtype=int8,n=1000]  4 ranks, <*>
> 6 cases of 1 scenario: 6 as expected

$ ncclscript run --set skip=true 'matrix.lua[ranks=4,dtype=int8,n=1000]'
> HANG  matrix.lua[ranks=4,dtype=int8,n=1000]  4 ranks, sim, seed 0
> ...
>   more  ncclscript explain skipped-call
>   alone ncclscript run --set skip=true 'matrix.lua[ranks=4,dtype=int8,n=1000]'
? 3

# The command that a failed case tells does the same again.
$ ncclscript run -q --seed 3 --policy typical --set skip=true 'matrix.lua[ranks=4,dtype=int8]' >once; eval "$(sed -n 's/^  alone //p' once)" | diff once -

$ ncclscript run 'matrix.lua[n=1,dtype=int8]'
> PASS  matrix.lua[ranks=2,dtype=int8,n=1]  <*>

$ ncclscript run 'matrix.lua[n=1]' suite/one.lua
> PASS  matrix.lua[ranks=2,dtype=float32,n=1]  <*>
> PASS  matrix.lua[ranks=2,dtype=int8,n=1]  <*>
> PASS  suite/one.lua  <*>
> 3 cases of 2 scenarios: 3 as expected

# --set and -n leave an axis one value, whether it is in the list or not.
$ ncclscript run -n 3 --set n=7 matrix.lua
> PASS  matrix.lua[ranks=3,dtype=float32,n=7]  3 ranks, <*>
> PASS  matrix.lua[ranks=3,dtype=int8,n=7]  3 ranks, <*>
> 2 cases of 1 scenario: 2 as expected

# What they leave may be excluded.
$ ncclscript run -n 4 --set n=1 matrix.lua
! ncclscript run: nothing was executed: all cases are excluded
? 5

$ ncclscript run 'matrix.lua[ranks=4,dtype=int8,n=100]'
! matrix.lua[ranks=4,dtype=int8,n=100]: error: no such case
!   hint: did you mean `matrix.lua[ranks=4,dtype=int8,n=1000]`?
? 2

$ ncclscript run 'matrix.lua[n=1,dtpye=int8]'
! matrix.lua[n=1,dtpye=int8]: error: no such case
!   hint: no case has `dtpye=int8`: did you mean `dtype=int8`?
? 2

$ ncclscript run 'matrix.lua[frobnicate]'
! matrix.lua[frobnicate]: error: no such case
!   hint: no case has `frobnicate`; there are 6, as `matrix.lua[ranks=2,dtype=float32,n=1]`: --list shows them
? 2

$ ncclscript run 'matrix.lua[ranks=4,n=1]'
! matrix.lua[ranks=4,n=1]: error: no such case
!   hint: there are 6, as `matrix.lua[ranks=2,dtype=float32,n=1]`: --list shows them
? 2

$ ncclscript run 'pass.lua[ranks=4]'
! pass.lua[ranks=4]: error: no such case
!   hint: the scenario has no matrix
? 2

$ ncclscript run 'missing.lua[ranks=4]'
! missing.lua[ranks=4]: error: cannot be opened: No such file or directory
? 2

$ cp pass.lua 'odd[name].lua'; ncclscript run 'odd[name].lua'
> PASS  odd[name].lua  <*>

# An expression selects among all.
$ ncclscript run --list matrix.lua pass.lua -k 'int8 and not ranks=4 or PASS'
> matrix.lua[ranks=2,dtype=int8,n=1]
> matrix.lua[ranks=2,dtype=int8,n=1000]
> pass.lua

$ ncclscript run -k 'matrix.lua[ranks=4,dtype=int8,n=1000]' matrix.lua pass.lua
> PASS  matrix.lua[ranks=4,dtype=int8,n=1000]  <*>

$ ncclscript run -k nothing matrix.lua pass.lua
! ncclscript run: nothing was executed: -k selects none of 7 cases
? 5

$ ncclscript run -k nothing --format tap pass.lua
> TAP version 13
> 1..0 # SKIP nothing was executed
! ncclscript run: nothing was executed: -k selects none of 1 case
? 5

$ ncclscript run -k nothing --format junit pass.lua
> <?xml version="1.0" encoding="UTF-8"?>
> <testsuites name="ncclscript">
> </testsuites>
! ncclscript run: nothing was executed: -k selects none of 1 case
? 5

$ ncclscript run --list -k nothing matrix.lua
! ncclscript run: nothing was executed: -k selects none of 6 cases
? 5

$ ncclscript run -k '(' pass.lua
! ncclscript run: `-k (`: expected a part of a name, `not` or `(` at the end
! try `ncclscript run --help`
? 2

$ ncclscript run -k 'a b' pass.lua
! ncclscript run: `-k a b`: expected `and` or `or` at character 3, got `b`
! try `ncclscript run --help`
? 2

$ ncclscript run --list suite missing.lua broken.lua
> suite/deeper/two.lua
> suite/one.lua
> suite/three.lua
! missing.lua: error: cannot be opened: No such file or directory
! broken.lua:3:11: error: <*>
! ...
? 2

# Repetitions draw a schedule each; what is alike is told once.
$ ncclscript run --repeat 3 pass.lua
> PASS  pass.lua  3 runs, seeds 0..2: 3 as expected
> 3 runs of 1 scenario: 3 as expected

$ ncclscript run -v --seed 5 --repeat 2 pass.lua | grep PASS
> PASS  pass.lua[seed=5]  4 ranks, sim, seed 5: <*>
> PASS  pass.lua[seed=6]  4 ranks, sim, seed 6: <*>

$ ncclscript run --repeat 3 hang.lua pass.lua
> HANG  hang.lua[seed=0]  4 ranks, sim, seed 0
>   communicator world, call 3: <*>
> ...
>   alone ncclscript run 'hang.lua[seed=0]'
> FAIL  hang.lua  3 runs, seeds 0..2: 0 as expected, 3 unexpected (3 hang)
>   hang  seeds 0..2
> PASS  pass.lua  3 runs, seeds 0..2: 3 as expected
> 6 runs of 2 scenarios: 3 as expected, 3 unexpected (3 hang)
? 3

$ ncclscript run --repeat 2 --seed 8 matrix.lua -q
> 12 runs of 6 cases of 1 scenario: 12 as expected

$ diff <(ncclscript run -v --seed 2 hang.lua | tail -n +2) <(ncclscript run -v 'hang.lua[seed=2]' | tail -n +2)

$ ncclscript run --repeat 2 --schedule c0 pass.lua
! ncclscript: error: --repeat draws a schedule for each run, --schedule prescribes one
? 2

$ ncclscript run --repeat 0 pass.lua
! ncclscript run: `--repeat 0`: expected a whole number from 1 to 1000000
! try `ncclscript run --help`
? 2

$ ncclscript run --repeat 1000000 pass.lua wrong.lua
! ncclscript: error: there would be more than 1000000 runs
? 2

# A seed may be an axis.
$ echo 'scenario { matrix = { seed = { 7, 3 } } } stream:sync()' >seeds.lua; ncclscript run seeds.lua
> PASS  seeds.lua[seed=7]  2 ranks, sim, seed 7: <*>
> PASS  seeds.lua[seed=3]  2 ranks, sim, seed 3: <*>
> 2 cases of 1 scenario: 2 as expected

$ ncclscript run --seed 9 seeds.lua
> PASS  seeds.lua[seed=9]  2 ranks, sim, seed 9: <*>

# The first run that is not as expected may be the last.
$ ncclscript run -q --fail-fast pass.lua hang.lua pass.lua wrong.lua
> HANG  hang.lua  <*>
> ...
> 4 scenarios: 1 as expected, 1 unexpected (1 hang), 2 not run
? 3

# Why something was skipped is said even where nothing else is.
$ ncclscript run -q needs.lua
> 3 cases of 1 scenario: 0 as expected, 3 skipped (needs 64 GPUs, the simulated machine has 8)
? 77

# As many as can be.
$ printf 'local l = {} for i = 1, 100000 do l[i] = i end\nscenario { params = { n = 0 }, matrix = { n = l }, exclude = { { n = 7 } } }' >most.lua; ncclscript run --list most.lua | sed -n '6,7p;$p;$='
> most.lua[n=6]
> most.lua[n=8]
> most.lua[n=100000]
> 99999

# A declaration that is wrong is told once, with its place.
$ printf 'scenario {\n  params = { n = 1 },\n  matrix = {\n    n = { 1, "2" } } }' >bad.lua; ncclscript run bad.lua pass.lua
> PASS  pass.lua  <*>
> 2 scenarios: 1 as expected, 1 unexpected (1 invalid)
! bad.lua:4:15: error: matrix: n: value 2 must be a whole number, as its default in params, got "2"
!     4 |     n = { 1, "2" } } }
!       |               ^
? 2

# What a case declares is looked at when it is run.
$ printf 'scenario {\n  matrix = { ranks = { 1, 3 } },\n  outcome = { lost = 2 } }' >late.lua; ncclscript run -q 'late.lua[ranks=1]'
! late.lua:3:15: error: outcome: lost = 2: the run has ranks 0 to 0
!     3 |   outcome = { lost = 2 } }
!       |               ^^^^
? 2

# What is wrong with all of them is told once.
$ printf 'scenario { matrix = { ranks = { 1, 2, 3, 4 } },\n  outcome = function(r) return { lost = r.nranks < 4 and 3 or 4 } end }' >late.lua; for n in 1 3; do ncclscript run -q -j $n --repeat 5 late.lua; done
> FAIL  late.lua[ranks=1]  5 runs, seeds 0..4: 0 as expected, 5 unexpected (5 invalid)
>   invalid  seeds 0..4
> ...
> 20 runs of 4 cases of 1 scenario: 0 as expected, 20 unexpected (20 invalid)
> FAIL  late.lua[ranks=1]  5 runs, <*>
> ...
! late.lua:2:34: error: outcome: lost = 3: the run has ranks 0 to 0
!     2 | <*>
!       | <*>
! late.lua:2:34: error: outcome: lost = 3: the run has ranks 0 to 1
!     2 | <*>
!       | <*>
! late.lua:2:34: error: outcome: lost = 3: the run has ranks 0 to 2
!     2 | <*>
!       | <*>
!   hint: <*>
! late.lua:2:34: error: outcome: lost = 4: the run has ranks 0 to 3
!     2 | <*>
!       | <*>
!   hint: <*>
! late.lua:2:34: error: outcome: lost = 3: the run has ranks 0 to 0
! ...
? 2

# Standard input can be read only once, and has cases all the same.
$ ncclscript run -q -j 2 - <matrix.lua
> 6 cases of 1 scenario: 6 as expected

# Machines are told the values; times are left out on demand.
$ ncclscript run --no-times --format json matrix.lua | head -n 1
> {"schema": "ncclscript.report/1", "scenario": "matrix.lua", "case": {"ranks": 2, "dtype": "float32", "n": 1}, <*>"name": "ranks=2,dtype=float32,n=1", <*>"wall_ns": null}

# YAML has the same cases, with the places of its own text.
$ printf 'scenario: s\nparams: { n: 1 }\nmatrix: { seed: [1, 2], n: [3, 4] }\nexclude:\n  - { n: 3, seed: 2 }\nsteps:\n  - expect: { that: param.n == 3, text: no three }\n' >s.yaml; ncclscript run -j 2 s.yaml
> PASS  s.yaml[n=3,seed=1]  2 ranks, sim, seed 1: <*>
> WRONG  s.yaml[n=4,seed=1]  2 ranks, sim, seed 1
>   expectations that failed
>     ranks 0, 1  no three    line 7
>   alone ncclscript run 's.yaml[n=4,seed=1]'
> WRONG  s.yaml[n=4,seed=2]  <*>
> ...
> 3 cases of 1 scenario: 1 as expected, 2 unexpected (2 wrong)
? 1

$ sed 's/2]/2, 1]/' s.yaml | ncclscript run -
! -:3:24: error: seed: `1` is listed twice
!     3 | matrix: { seed: [1, 2, 1], n: [3, 4] }
!       |                        ^
? 2
