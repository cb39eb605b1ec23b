-- status: 0
-- command: check --plan -n 2
-- never: AAAA
-- What a plan does not know is written by nobody: communication into memory that goes, in groups that
-- end later, with windows that are given up.
scenario { ranks = 2 }
local x = cuda.buffer("float32", 1024, { memory = "nccl" }):fill(0)
local host = C.host("float32", 1024):fill(7)
C.cudaHostRegister(host, 4096, 0)
nccl.group(function()
    local w = world:window(x)
    pcall(w.deregister, w)
    world:all_reduce(x)
end)
C.ncclAllReduce(host, host, 1024, C.ncclFloat32, C.ncclSum, world, stream)
C.cudaHostUnregister(host)
host = nil
C.ncclMemFree(x)
collectgarbage()
local s = {}
for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
pcall(x.get, x)
