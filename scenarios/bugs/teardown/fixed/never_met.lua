scenario {
  about  = "the mended never_met: every rank destroys the communicator before the barrier",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
}

world:destroy()
barrier()
