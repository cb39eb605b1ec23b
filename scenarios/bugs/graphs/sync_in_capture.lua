scenario {
  about   = "the host waits for the stream that it is capturing, to look at a value",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
  bug     = { entry = "O3", nccl = "CUDA refuses the wait, and the capture is lost" },
  outcome = { error = "cudaErrorStreamCaptureUnsupported", call = "cudaStreamSynchronize", rank = 0, findings = 1 },
}

local x = cuda.buffer("float32", 16):fill(1)
cuda.graph(stream, function()
  world:all_reduce(x)
  stream:sync() -- a check that stayed in
end)
