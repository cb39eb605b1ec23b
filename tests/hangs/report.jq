# What of a report is held against expect.jsonl.
{
  scenario,
  policy,
  verdict,
  findings: [
    .findings[] | {
      rule, level, certainty, comm, call,
      culprits: [.culprits[] | [.rank, .call, .line]],
      blocked, bystanders,
      cycle: [.cycle[] | [.rank, .comm, .call, .line, .for]]
    }
  ]
}
