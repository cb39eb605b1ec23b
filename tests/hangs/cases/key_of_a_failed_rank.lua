scenario { ranks = 3, outcome = { error = "ncclInvalidArgument", rank = 2 } }

if rank == 0 then
  store:get("go")
  barrier { ranks = { 0, 1 } }
elseif rank == 1 then
  barrier { ranks = { 0, 1 } }
else
  world:broadcast(cuda.buffer("float32", 8), { root = 9 })
  store:set("go", true)
end
