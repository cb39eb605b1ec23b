# The parts of a report that are compared with expect.jsonl.
{
  scenario,
  policy,
  verdict,
  findings: [
    .findings[] | {
      rule, level, certainty, comm, call,
      culprits: [.culprits[] | [.comm_rank // .rank, .call, .line]],
      blocked, bystanders,
      cycle: [.cycle[] | [.comm_rank // .rank, .comm, .call, .line, .for]]
    } + if .prior == [] then {} else {prior: [.prior[] | [.ranks, .line]]} end
  ]
}
