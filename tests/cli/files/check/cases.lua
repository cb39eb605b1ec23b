scenario {
  params = { count = 6 },
  matrix = { ranks = { 2, 4 }, count = { 6, 8 } },
}
world:reduce_scatter(cuda.buffer("float32", param.count):fill(1))
