scenario {
  ranks   = 4,
  about   = "a rank dies before a split, which has no number",
  outcome = { hang = { culprit = 2, waiting = { 0, 1, 3 }, why = "rank-lost" } },
}

fault.kill { rank = 2, func = "ncclCommSplit" }
world:split { color = rank % 2 }
