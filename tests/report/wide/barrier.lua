scenario { ranks = 1024, about = "every fourth rank does not come to the barrier" }
if rank % 4 ~= 2 then
  barrier()
end
