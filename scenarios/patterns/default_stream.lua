scenario {
  ranks = 4,
  needs = { gpus = 4 }, -- ranks that share a GPU must not share its default stream
  about = "a binding that falls back to the default stream: the null handle, and a wait that does nothing",
}

-- The binding makes a stream of its own. If CUDA has none to give, the binding goes on without one: NCCL
-- gets the null handle, the legacy default stream of the communicator's device.
local binding = {}

function binding.new_stream()
  local code, s = C.cudaStreamCreateWithFlags(C.cudaStreamNonBlocking)
  if code ~= C.cudaSuccess then
    C.cudaGetLastError() -- CUDA forgets the error
    return nil
  end
  return s
end

function binding.all_reduce(x, s)
  C.check(C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, s))
end

-- Without a stream this does nothing: the binding reads results by synchronous copies only.
function binding.synchronize(s)
  if s then
    C.check(C.cudaStreamSynchronize(s))
  end
end

function binding.read(x)
  local host = C.host("float32", #x)
  C.check(C.cudaMemcpy(host, x, x.bytes, C.cudaMemcpyDeviceToHost))
  return host
end

local own = binding.new_stream()
local x   = cuda.buffer("float32", 500)
for step = 1, 3 do
  -- The copy runs on the default stream, too. It begins when the all-reduce is done.
  x:fill(rank + step)
  binding.all_reduce(x, nil)
  binding.synchronize(nil)
  expect.equal(binding.read(x), nranks * step + nranks * (nranks - 1) / 2)

  -- The copy does not wait for a non-blocking stream, so the same calls need the wait.
  x:fill(step)
  binding.all_reduce(x, own)
  binding.synchronize(own)
  expect.equal(binding.read(x), nranks * step)
end

-- One rank gets no stream. The ranks of a call need not use the same kind of stream.
fault.fail { rank = nranks - 1, func = "cudaStreamCreateWithFlags", code = "cudaErrorMemoryAllocation" }
local mine = binding.new_stream()
expect.equal(mine == nil, rank == nranks - 1)
x:fill(rank)
binding.all_reduce(x, mine)
binding.synchronize(mine)
expect.equal(binding.read(x), nranks * (nranks - 1) / 2)
if mine then
  C.check(C.cudaStreamDestroy(mine))
end

-- CUDA itself takes the null handle for the default stream, and waits.
x:fill(1)
binding.all_reduce(x, nil)
C.check(C.cudaStreamSynchronize(nil))
expect.equal(C.cudaStreamQuery(nil), C.cudaSuccess)
expect.equal(x, nranks)

-- The default stream belongs to CUDA: a binding that owns its streams must not destroy this one.
expect.equal(C.cudaStreamDestroy(nil), C.cudaErrorInvalidResourceHandle)
C.check(C.cudaStreamDestroy(own))
