scenario {
  ranks = 2, needs = { driver = "sim" },
  about = "capture and graphs by their names in C",
}

local x = cuda.buffer("float32", 16):fill(rank + 1)
local other = cuda.stream()
stream:sync()

C.check(C.cudaStreamBeginCapture(stream, C.cudaStreamCaptureModeThreadLocal))
local status, id = C.check(C.cudaStreamGetCaptureInfo(stream))
expect.equal(status, C.cudaStreamCaptureStatusActive)
expect.that(id > 0)
C.check(C.ncclAllReduce(x, x, 16, C.ncclFloat32, C.ncclSum, world, stream))
local graph = C.check(C.cudaStreamEndCapture(stream))

local count = C.host("int64", 1)
C.check(C.cudaGraphGetNodes(graph, nil, count))
expect.equal(count, 1)
local exec = C.check(C.cudaGraphInstantiate(graph, 0))
local again = C.check(C.cudaGraphInstantiateWithFlags(graph, 0))
C.check(C.cudaGraphDestroy(graph))
C.check(C.cudaGraphUpload(exec, stream))
C.check(C.cudaGraphLaunch(exec, stream))
C.check(C.cudaGraphLaunch(again, stream)) -- two of one graph are two
C.check(C.cudaGraphLaunch(exec, other))
C.check(C.cudaStreamSynchronize(other))
expect.equal(x, 12)
C.check(C.cudaGraphExecDestroy(exec))
C.check(C.cudaGraphExecDestroy(again))

local mode = C.host("int32", 1):fill(C.cudaStreamCaptureModeRelaxed)
C.check(C.cudaThreadExchangeStreamCaptureMode(mode))
expect.equal(mode, C.cudaStreamCaptureModeGlobal)
local empty = C.check(C.cudaGraphCreate(0))
C.check(C.cudaGraphDestroy(empty))
