scenario {
  about  = "the mended dtype_of_buffer: buffer and call have one type",
  params = { dtype = "ncclFloat32", op = "ncclSum" },
  matrix = { ranks = { 2, 3, 4 }, dtype = { "ncclFloat32", "ncclInt64" }, op = { "ncclSum", "ncclMax" } },
}

local x     = cuda.buffer(param.dtype == "ncclInt64" and "int64" or "float32", 16):fill(3)
local count = x.bytes // C.sizeof(C[param.dtype])
C.check(C.ncclAllReduce(x.ptr, x.ptr, count, C[param.dtype], C[param.op], world, stream))
stream:sync()
expect.equal(x, param.op == "ncclSum" and 3 * nranks or 3)
