-- prints: ncclAllReduce at line 9 for rank 1 of comm1, which is on device 1, uses a stream of device 0
-- prints: give the call at line 9 a stream that was made while device 1 was current
-- A launch is refused when the group ends, so the error does not show which call had the stream.
scenario { ranks = 1, world = false, needs = { gpus = 2 }, outcome = { error = "ncclUnhandledCudaError" } }
local comms = nccl.init_all(2)
local s0 = cuda.stream { device = 0 }
local x = { cuda.buffer("float32", 8, { device = 0 }):fill(1), cuda.buffer("float32", 8, { device = 1 }):fill(2) }
nccl.group(function()
  for i, c in ipairs(comms) do c:all_reduce(x[i], { stream = s0 }) end
end)
