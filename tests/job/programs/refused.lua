-- Another process cannot be given what lies in this one: the call says so, and nothing is touched.
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8)
local host = cuda.buffer("float32", 8, { memory = "pageable" })
if rank == 1 then
  expect.equal(C.cudaMemset(host, 0, 32), C.cudaErrorInvalidValue)
  expect.equal(C.cudaHostRegister(host, host.bytes, 0), C.cudaErrorInvalidValue)
  expect.equal(C.ncclAllReduce(x, host, 8, C.ncclFloat32, C.ncclSum, world, stream), C.ncclInvalidArgument)
end
