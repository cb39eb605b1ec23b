scenario {
  about   = "the first send to a peer waits on the host, and so never gives the sign to receive",
  bug     = { entry = "D6", thread = { "PaddlePaddle/Paddle#54431", "pytorch/pytorch#160210" },
              nccl = "the first contact blocks the host in send; with a warm connection it works" },
  params  = { dst = 1, dtype = "float32" },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, dtype = { "float32", "int8" } },
  exclude = { { ranks = 2, dst = 3 }, { ranks = 4, dtype = "int8" } },
  outcome = function(run)
    return { hang = { culprit = { 0, run.param.dst }, call = 1, waiting = { 0, run.param.dst },
                      why = "host-wait" }, findings = 1 }
  end,
}

local x = cuda.buffer(param.dtype, 16):fill(rank)

if rank == 0 then
  world:send(x, param.dst)
  store:set("sent", true)
elseif rank == param.dst then
  store:get("sent") -- reasonable, if send only put something on a stream; so it is, later on
  world:recv(x, 0)
end
stream:sync()
