scenario { ranks = 5, about = "parts of several sizes, and a root that none of them has, asked for on all ranks" }

local part = world:split { color = rank // 2 }
local x = cuda.buffer("float32", 8):fill(1)
expect.equal(C.ncclBroadcast(x, x, 8, C.ncclFloat32, 2, part, stream), C.ncclInvalidArgument)
part:broadcast(x, { root = part.nranks - 1 })
stream:sync()
