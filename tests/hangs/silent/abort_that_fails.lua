scenario {
  ranks = 2,
  about = "an abort and a revoke that fail have cut nothing short",
}

local x = cuda.buffer("int32", 8):fill(1)
fault.fail { func = "ncclCommAbort", code = "ncclSystemError" }
fault.fail { func = "ncclCommRevoke", code = "ncclSystemError" }
expect.error("ncclSystemError", world.abort, world)
expect.error("ncclSystemError", world.revoke, world)
expect.that(not world.interrupted)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)
world:revoke()
expect.that(world.interrupted)
