scenario {
  ranks = 1000000000,
}
