-- One element of one rank that nothing has written is read, once as it is and once out of a copy.
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 4), cuda.buffer("float32", 4)
if rank == 1 then
  print(x[3])
  y:copy_from(x)
  print(y[2])
end
