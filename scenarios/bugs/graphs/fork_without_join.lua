scenario {
  about   = "a side stream is pulled into the capture, and nothing joins it at the end",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
  bug     = { entry = "O5", nccl = "CUDA refuses to end the capture, and there is no graph" },
  outcome = { error = "cudaErrorStreamCaptureUnjoined", call = "cudaStreamEndCapture", rank = 0, findings = 1 },
}

local x = cuda.buffer("float32", 16):fill(1)
local side, forked = cuda.stream(), cuda.event()
cuda.graph(stream, function()
  forked:record(stream)
  side:wait(forked)
  world:all_reduce(x, { stream = side }) -- beside the computation
  stream:delay(1e-4)
end)
