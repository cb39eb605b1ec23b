scenario {
  about = "a fill that copies from the host, in a capture", ranks = 2, needs = { driver = "sim" },
  outcome = { error = "cudaErrorStreamCaptureUnsupported", call = "cudaMemcpyAsync", findings = 1 },
}
local x = cuda.buffer("float32", 8)
cuda.graph(stream, function()
  x:fill(0, { stream = stream })
  x:fill(1, { stream = stream })
  world:all_reduce(x)
end)
