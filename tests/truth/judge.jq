# What a report says of a mutant, beside the truth: {file, shape, mutation, verdict, culprit, ...}, true or false
# each; null where nothing can be said of it. Input: reports; $truth: the lines of the truth.
def member($t): if $t.shape == "process" or $t.shape == "threads" then .rank
    elif has("device") then .device else -1 end;

INDEX($truth[]; .file) as $all |
inputs | ($all[.scenario | sub(".*/"; "") | sub("\\.lua$"; "")]) as $t | . as $r |
([.findings[] | select(.level == "error")][0]) as $f |
([$f.culprits[]? | member($t)] | unique) as $named |
([.repair.rounds[]?.edits[]?] | length) as $edits |
(if $t.verdict == "pass" then null else $named == [$t.culprit] end) as $exact |
($t.ranks == 2 and .repair.repaired == true and $edits <= $t.size) as $cheap |
($f.certainty == "likely" and (([$named, [$f.alternatives[]?.culprits[]? | member($t)]] | add) | any(. == $t.culprit))) as $both |
($exact and true or $cheap or $both) as $accepted |
{ file: $t.file, shape: $t.shape, mutation: $t.mutation,
  verdict: (.verdict == $t.verdict),
  culprit: (if $t.verdict == "pass" then null else $accepted end),
  sure: (if $t.verdict == "pass" then $f.certainty == "certain" else ($f.certainty == "certain" and ($accepted | not)) end),
  class: (if $t.verdict == "pass" then null else ($t.classes | any(. == $f.rule)) end),
  repaired: (if $t.verdict != "hang" then null else (.repair.repaired == true) end),
  small: (if .repair.repaired == true and $t.verdict == "hang" then $edits <= $t.size else null end),
  truth: $t, said: { verdict: $r.verdict, rule: $f.rule, named: $named, certainty: $f.certainty, edits: $edits } }
