scenario {
  ranks = 2,
  env = { NCCL_MAX_CTAS = "7", NCCL_CHECK_POINTERS = "maybe" },
  needs = { nccl = "2.30.4" },
  about = "what NCCL makes of its environment, by the names of its parameters",
}

expect.equal(nccl.param("NCCL_MAX_CTAS"), "7")
expect.equal(nccl.param("NCCL_RUNTIME_CONNECT"), "1")  -- a default
expect.equal(nccl.param("NCCL_CHECK_POINTERS"), "0")   -- what is no number is the default
expect.equal(nccl.params().NCCL_MAX_CTAS, "7")
expect.equal(expect.error("ncclInvalidArgument", nccl.param, "NCCL_MAX_CATS").call,
  "ncclParamGetParameter")

-- As in C: a handle, and a getter for each type. All parameters are texts or integers of 64 bits.
local rc, ctas = C.ncclParamBind("NCCL_MAX_CTAS")
expect.equal(rc, 0)
local value
rc, value = C.ncclParamGetI64(ctas)
expect.equal(rc, 0)
expect.equal(value, 7)
expect.equal(C.ncclParamGetI32(ctas), C.ncclInvalidArgument)
expect.equal(C.ncclParamGetStr(ctas), C.ncclInvalidArgument)
rc, value = C.ncclParamGetStr(select(2, C.ncclParamBind("NCCL_CHECK_MODE")))
expect.equal(rc, 0)
expect.equal(value, "DEFAULT")
local keys
rc, keys = C.ncclParamGetAllParameterKeys()
expect.equal(rc, 0)
expect.that(#keys > 30)
