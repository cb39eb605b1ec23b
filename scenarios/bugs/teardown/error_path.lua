scenario {
  about   = "one rank handles an error and waits to be told what to do, while the others leave the block that owns the communicator",
  params  = { culprit = 1 },
  matrix  = { ranks = { 3, 4, 8 }, culprit = { 0, 1 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T1", thread = "vllm-project/vllm#39846",
              nccl = "the others wait in the ncclCommDestroy of their block's end" },
  outcome = function(run)
    return { hang = { why = "destroy-missing-rank", culprit = run.param.culprit, waiting = "all", comm = "block" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
do
  local block <close> = world:split { color = 0, name = "block" }
  block:all_reduce(x)
  stream:sync()
  if rank == param.culprit and not pcall(error, "cannot write the checkpoint") then
    store:get("retry") -- nobody comes to set it
  end
end -- the others destroy `block` here
if rank == (param.culprit + 1) % nranks then store:set("retry", true) end
