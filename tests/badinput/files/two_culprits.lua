scenario {
  ranks = 2,
  outcome = {
    hang = {
      culprit = 2,
      why = "skipped-call",
    },
  },
}
