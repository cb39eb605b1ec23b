-- One rank leaves out a gather and goes on to a call on another communicator.
scenario { ranks = 3 }
local x, all = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 24)
local other = world:split { color = 0, name = "other" }
if rank ~= 1 then
  world:gather(x, all)
end
other:all_reduce(x)
stream:sync()
