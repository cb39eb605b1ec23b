scenario { ranks = 2, about = "a group that is long open, with groups in it, and ends" }

local x = cuda.buffer("float32", 8):fill(1)
C.ncclGroupStart()
world:all_reduce(x)
if rank == 0 then
  sleep(600)
  store:set("go", 1)
else
  store:get("go")
end
nccl.group(function() world:all_reduce(x) end)
C.ncclGroupEnd()
stream:sync()
