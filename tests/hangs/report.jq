# What of a report is held against expect.jsonl. A cycle has no beginning: it is turned so that its
# lowest rank comes first.
def turned:
  if length == 0 then . else (map(.rank) | index(min)) as $first | .[$first:] + .[:$first] end;

{
  scenario,
  verdict,
  findings: [
    .findings[] | {
      rule, level, certainty, comm, call,
      culprits: [.culprits[] | [.rank, .call, .line]],
      blocked, bystanders,
      cycle: (.cycle | turned | map([.rank, .comm, .call, .line, .for]))
    }
  ]
}
