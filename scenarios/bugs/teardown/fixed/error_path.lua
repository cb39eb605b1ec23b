scenario {
  about  = "the mended error_path: the rank leaves the block, and so destroys the communicator, before it waits",
  params = { culprit = 1 },
  matrix = { ranks = { 3, 4, 8 }, culprit = { 0, 1 } },
}

local x, failed = cuda.buffer("float32", 16):fill(1), false
do
  local block <close> = world:split { color = 0, name = "block" }
  block:all_reduce(x)
  stream:sync()
  failed = rank == param.culprit and not pcall(error, "cannot write the checkpoint")
end
if failed then store:get("retry") end
if rank == (param.culprit + 1) % nranks then store:set("retry", true) end
