scenario {
  about   = "an asynchronous error is reported, and the program goes on with the communicator",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "I1", thread = "pytorch/pytorch#118692",
              nccl = "every further call returns the error; the peers, which have none, wait" },
  outcome = function(run)
    return { error = "ncclRemoteError", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others", call = 3 } }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  world:all_reduce(x) -- nobody asks for world:async_error() in between
  stream:sync()
  if step == 2 then fault.async_error { rank = param.culprit, code = "ncclRemoteError" } end
end
