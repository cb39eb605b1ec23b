-- Every kind of name that is not there.
scenario { ranks = 2, params = { count = 8 } }
local part = require "part"
local x = cuda.bufer("float32", param.cuont)
world:allreduce(x)
stream.sync()
prnt(rank.x)
total = nccl.version()
nccl.group = print
store.get("key")
expect:that(true)
math.flor(1.5)
local s = string.gsub2 or string.format
nranks()
part.anything(s, prnt)
local f = function(world, prnt) world:anything(prnt) end
f(x, _G.prnt)
