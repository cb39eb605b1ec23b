scenario {
  ranks = 4,
  about = "calls that fail, are late or spoilt",
  params = { spoilt = false },
  matrix = { spoilt = { false, true } },
  outcome = function(run)
    return run.param.spoilt and { wrong = { rank = 1, call = 3, first = 3 } } or "pass"
  end,
}

local x = cuda.buffer("float32", 64):fill(rank + 1)
fault.fail { rank = 1, func = "cudaStreamSynchronize", nth = 2, code = "cudaErrorLaunchFailure" }
fault.slow { rank = 2, call = 2, seconds = 3600 }
fault.link { rank = 0, peer = 3, seconds = 0.5 }
if param.spoilt then
  fault.corrupt { rank = 1, call = 3, first = 3, count = 2 }
end

world:all_reduce(x)
stream:sync()
if rank == 1 then
  expect.error("cudaErrorLaunchFailure", stream.sync, stream)
end
for _ = 1, 2 do
  world:all_reduce(x, { op = "max" })
  stream:sync()
end
sleep(1e-3)
