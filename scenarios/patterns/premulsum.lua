scenario {
  ranks  = 3,
  params = { dtype = "float32" },
  needs  = { nccl = "2.11" },
  about  = "a scaled sum, with the factor on the host and with the factor on the device",
}

-- Bindings of the whole API give both kinds of factors: a number is copied when the operator is
-- made, a buffer is read by the kernel. The factor has the type of the data.
local dtype = param.dtype
local x = cuda.buffer(dtype, 100)
local factor = cuda.buffer(dtype, 1)
local sum = nranks * (nranks + 1) // 2

local host = world:premulsum(dtype, 2)
world:all_reduce(x:fill(rank + 1), { op = host })
stream:sync()
expect.equal(x, 2 * sum)

-- Each rank may scale by what it likes, and change it between calls.
local device = world:premulsum(dtype, factor)
for step = 1, 2 do
  factor:fill(step + rank, { stream = stream })
  x:fill(1, { stream = stream })
  world:all_reduce(x, { op = device })
  stream:sync()
  expect.equal(x, nranks * step + nranks * (nranks - 1) // 2)
end

-- An operator may go as soon as the call that uses it has been made, the factor's memory not before
-- the stream is done with it. A destroyed operator is unknown.
world:all_reduce(x:fill(1), { op = host })
host:destroy()
stream:sync()
expect.equal(x, 2 * nranks)

local raw = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarDevice, world))
C.check(C.ncclRedOpDestroy(raw, world))
expect.equal(C.ncclRedOpDestroy(raw, world), C.ncclInvalidArgument)
expect.equal(C.ncclRedOpDestroy(C.ncclSum, world), C.ncclInvalidArgument)
device:destroy()
