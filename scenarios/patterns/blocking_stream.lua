scenario {
  ranks  = 4,
  params = { count = 1000, steps = 3 },
  needs  = { gpus = 4 }, -- ranks that share a GPU must not share its default stream
  about  = "data on the host: a synchronous copy before and after each call, and a blocking stream",
}

-- Bindings for arrays of the host copy to the device, reduce, and copy back. Both copies run on the
-- legacy default stream. A stream of cudaStreamCreate is blocking: it waits for earlier work of the
-- legacy stream, and the legacy stream waits for it. So nothing has to be synchronized.
local n      = param.count
local device = cuda.buffer("float32", n)
local host   = C.host("float32", n)

local function all_reduce(s)
  C.check(C.cudaMemcpy(device, host, host.bytes, C.cudaMemcpyHostToDevice))
  C.check(C.ncclAllReduce(device, device, n, C.ncclFloat32, C.ncclSum, world, s))
  if C.check(C.cudaStreamGetFlags(s)) == C.cudaStreamNonBlocking then
    C.check(C.cudaStreamSynchronize(s)) -- the legacy stream does not wait for this stream
  end
  C.check(C.cudaMemcpy(host, device, host.bytes, C.cudaMemcpyDeviceToHost))
end

local blocking = C.check(C.cudaStreamCreate())
local free     = C.check(C.cudaStreamCreateWithFlags(C.cudaStreamNonBlocking))
expect.equal(C.check(C.cudaStreamGetFlags(blocking)), C.cudaStreamDefault)

for step = 1, param.steps do
  for _, s in ipairs { blocking, free } do
    host:fill(function(i) return rank + step * i end)
    all_reduce(s)
    expect.equal(host, function(i) return nranks * (nranks - 1) / 2 + nranks * step * i end)
  end
end

C.check(C.cudaStreamDestroy(free))
C.check(C.cudaStreamDestroy(blocking))
