scenario { ranks = 2, about = "calls on NULL that are no-ops, and nested groups that balance" }

expect.equal(C.ncclCommDestroy(nil), C.ncclSuccess)
expect.equal(C.ncclCommAbort(nil), C.ncclSuccess)

local x = cuda.buffer("int32", 4):fill(1)
C.check(C.ncclGroupStart())
C.check(C.ncclGroupStart())
world:all_reduce(x)
C.check(C.ncclGroupEnd())
C.check(C.ncclGroupStart())
C.check(C.ncclGroupEnd())
C.check(C.ncclGroupEnd())
stream:sync()
expect.equal(x, 2)
