scenario { ranks = 2 }

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  world:all_reduce(x)
  print "the call is back"
end
