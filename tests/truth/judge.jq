# What a report says of a mutant, beside the truth: {file, shape, mutation, verdict, culprit, ...}, true or false
# each; null where nothing can be said of it. Input: reports; $truth: the lines of the truth. A truth has culprits and
# classes, or several `readings` of them that are equally right; `bugs` if there are several. A race has no verdict.

# The rank of the world that a culprit is: a process has one, or one for each device. Who has not joined the world
# is known by its rank there.
def member($t; $comm): if $t.shape | IN("process", "ids", "threads") then .rank
    else .device // (if $comm == "comm1" then .comm_rank else null end) // -1 end;
def members($t): .comm as $comm | [.culprits[]? | member($t; $comm)] | unique;

# No change brings back a rank that died, a communicator that was aborted or not made.
def repairable: (.gone or .unmade | not) and (.mutation | IN("abort", "derive", "init", "kill") | not);

INDEX($truth[]; .file) as $all |
inputs | . as $r | $all[.scenario | sub(".*/"; "") | sub("\\.lua$"; "")] as $t |
# Of a race, a note may be all that is found.
([.findings[] | select(.level == "error")][0] // (if .verdict == "wrong" or $t.verdict == null then .findings[0] else null end)) as $f |
($t.readings // [{ culprits: $t.culprits, classes: $t.classes }]) as $readings |
($f // {} | members($t)) as $named |
([$f.alternatives[]? | members($t)[]] | unique) as $others |
([.repair.rounds[]?.edits[]?] | length) as $edits |
# With two ranks nothing decides which of them is right: what passes and is as cheap is as true.
($t.ranks == 2 and .repair.repaired == true and $edits <= $t.size) as $as_cheap |
([.findings[] | select(.level == "error") | members($t)[]] | unique) as $guilty |
# Where all ranks do the same, none of them is the one. Several culprits may be those of several findings. Likely, of two:
# both are named.
def right: . as $c | $c == [] or $named == $c or $as_cheap or $named != [] and ($named - $c) == [] and ($c - $guilty) == [] or
    $f.certainty == "likely" and (($named | length) == 2 and ($c - $named) == [] or ($c - $others) == []);
any($readings[]; .culprits | right) as $right |
# A second reading that blames the culprit tells the class of that one.
def rules: . as $c | [$f, (if $f.certainty == "likely" then $f.alternatives[]? | select(members($t) == $c) else empty end)] | map(.rule);
any($readings[]; (.culprits | rules) as $rules | any(.classes[]; IN($rules[]))) as $class |
($t.verdict != "pass") as $bad |
{ file: $t.file, workload: $t.workload, shape: $t.shape, mutation: $t.mutation,
  verdict: (if $t.verdict then .verdict == $t.verdict else null end),
  culprit: (if $bad then $right else null end),
  sure: ($f.certainty == "certain" and ($bad and $right | not)),
  class: (if $bad then $class else null end),
  repaired: (if $t.verdict == "hang" and .driver == "sim" and ($t | repairable) then .repair.repaired == true else null end),
  small: (if $t.size and $t.verdict == "hang" and .repair.repaired == true then $edits <= $t.size else null end),
  whole: (if ($t.bugs // [] | length) > 1 then
      [$r.findings[] | members($t), (.alternatives[]? | members($t))] as $all | all($t.bugs[]; .culprits | IN($all[])) else null end),
  truth: $t,
  said: { verdict: $r.verdict, rule: $f.rule, named: $named, others: $others, certainty: $f.certainty, edits: $edits } }
