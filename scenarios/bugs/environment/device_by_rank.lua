scenario {
  about   = "a program sets device rank % 8; hosts after the first have 7 devices, so the first rank of host 2 asks for one too many",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 16, 22 } },
  devices = { 8, 7 },
  world   = false,
  bug     = { entry = "P3", nccl = "nothing: CUDA refuses the device before NCCL is called" },
  outcome = { error = "cudaErrorInvalidDevice", call = "cudaSetDevice", rank = 15, findings = 1,
              finding = { rule = "failed-call", culprit = 15 } },
}

cuda.set_device(rank % 8)
