scenario {
  ranks = 2,
  env   = { NCCL_WIN_ENABLE = "0", NCCL_LOCAL_REGISTER = "0" },
  needs = { nccl = "2.29.2" },
  about = "windows and registration switched off: a program has to live without the handles",
}

local x = cuda.buffer("float32", 64, { memory = "nccl" }):fill(rank)

-- The call succeeds, waits for nobody and gives no window; one-sided calls need one.
local win = world:window(x, { symmetric = true })
expect.that(win == nil)
local rc, handle = C.ncclCommRegister(world, x, x.bytes)
expect.equal(rc, C.ncclSuccess)
expect.that(handle == nil)
expect.equal(C.ncclSignal(rank, 0, 0, 0, world, stream), C.ncclInvalidArgument)

world:all_reduce(x)
stream:sync()
expect.equal(x, 1)
