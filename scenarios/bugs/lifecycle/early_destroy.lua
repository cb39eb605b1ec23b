scenario {
  about   = "one rank destroys the communicator while the others still use it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
  bug     = { entry = "H5", thread = "vllm-project/vllm#39846",
              nccl = "the others wait in their call forever, and this rank waits in its destroy" },
  outcome = function(run)
    local alone = run.driver == "sim" -- in its process; elsewhere ranks are threads of one, and its destroy waits for nobody
    return { hang = { why = "early-destroy", culprit = run.param.culprit, call = 2,
                      waiting = alone and "all" or "others" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == param.culprit then
  world:destroy() -- one step too early
else
  world:all_reduce(x)
  stream:sync()
end
