scenario {
  about   = "memory is allocated while a stream is captured",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
  bug     = { entry = "O3", nccl = "CUDA refuses the allocation, and the capture is lost" },
  outcome = { error = "cudaErrorStreamCaptureUnsupported", call = "cudaMalloc", rank = 0, findings = 1 },
}

local x = cuda.buffer("float32", 16):fill(1)
cuda.graph(stream, function()
  local y = cuda.buffer("float32", 16) -- a temporary of the step
  world:all_reduce(x, y)
end)
