scenario {
  about   = "all ranks add the float64 elements of a buffer as float32",
  params  = { dtype = "ncclFloat32", op = "ncclSum" },
  matrix  = { ranks = { 2, 3, 4 }, dtype = { "ncclFloat32", "ncclInt64" }, op = { "ncclSum", "ncclMax" } },
  bug     = { entry = "C5", nccl = "no error; the results of another calculation" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0,
             finding = { rule = "dtype-of-buffer", culprit = all, call = 1, comm = "world", certainty = "likely" } }
  end,
}

local x     = cuda.buffer("float64", 16):fill(1.5)
local count = x.bytes // C.sizeof(C[param.dtype])
C.check(C.ncclAllReduce(x.ptr, x.ptr, count, C[param.dtype], C[param.op], world, stream))
stream:sync()
