# What of a report is held against expect.jsonl. A cycle has no beginning: it is turned so that its
# lowest rank comes first, and of several communicators in it any may stand for the finding.
def turned:
  if length == 0 then . else (map(.rank) | index(min)) as $first | .[$first:] + .[:$first] end;

def in_cycle: .comm as $comm | .cycle | map(.comm) | unique | length > 1 and index($comm) != null;

{
  scenario,
  policy,
  verdict,
  findings: [
    .findings[] | {
      rule, level, certainty,
      comm: (if in_cycle then "of the cycle" else .comm end),
      call,
      culprits: [.culprits[] | [.rank, .call, .line]],
      blocked, bystanders,
      cycle: (.cycle | turned | map([.rank, .comm, .call, .line, .for]))
    }
  ]
}
