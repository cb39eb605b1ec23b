scenario { ranks = 4, about = "communicators of every kind come and go as they may" }

local a = world:split { color = rank % 2, split_share = true }
local b = a:split { color = 0 }
local none = a:split { color = nccl.NOCOLOR }
local x = cuda.buffer("float32", 8):fill(1)
b:all_reduce(x)
stream:sync()
b:finalize()
b:destroy()
a:revoke()
local c = a:split { color = 0 }
c:suspend()
c:resume()
a:abort()
if rank ~= 3 then
  local d = world:shrink { 3 }
  d:all_reduce(x)
  stream:sync()
end
expect.equal(none, nil)
