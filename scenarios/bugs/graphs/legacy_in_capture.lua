scenario {
  about   = "work goes to the legacy stream while a stream that synchronises with it is captured",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
  bug     = { entry = "O3", nccl = "CUDA refuses the work, and the capture is lost" },
  outcome = { error = "cudaErrorStreamCaptureImplicit", call = "ncsDelay", rank = 0, findings = 1 },
}

local x = cuda.buffer("float32", 16):fill(1)
local main = cuda.stream { blocking = true }
cuda.graph(main, function()
  world:all_reduce(x, { stream = main })
  cuda.legacy_stream:delay(1e-4) -- a kernel of a library that knows no streams
end)
