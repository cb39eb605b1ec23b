scenario {
  about   = "a captured stream waits for an event that was recorded before the capture",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
  bug     = { entry = "O5", nccl = "CUDA refuses the wait, and the capture is lost" },
  outcome = { error = "cudaErrorStreamCaptureIsolation", call = "cudaStreamWaitEvent", rank = 0, findings = 1 },
}

local x = cuda.buffer("float32", 16)
local side, filled = cuda.stream(), cuda.event()
x:fill(1, { stream = side })
filled:record(side)
cuda.graph(stream, function()
  stream:wait(filled)
  world:all_reduce(x)
end)
