scenario { ranks = 3, outcome = { error = "ncclInvalidArgument", rank = 2 } }

if rank == 0 then
  store:get("go")
  barrier { ranks = { 0, 1 } }
elseif rank == 1 then
  barrier { ranks = { 0, 1 } }
else
  local x = cuda.buffer("float32", 8)
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, 9, world, stream))
  store:set("go", true)
end
