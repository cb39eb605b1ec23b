scenario {
  ranks   = 2,
  about   = "faults wait for calls that are not made: each is told, once for each rank",
  outcome = { pass = true, finding = { rule = "fault-unused", culprit = 1 }, findings = 0 },
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
fault.slow { rank = 1, call = 4, seconds = 1 }
fault.fail { rank = 1, func = "ncclAllReduce", nth = 3, code = "ncclSystemError" }
fault.kill { call = 9 }
world:all_reduce(x)
world:all_reduce(x)
stream:sync()
fault.corrupt { rank = 0 }
