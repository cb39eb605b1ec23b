scenario {
  ranks   = 4,
  about   = "an early return on rank 1, between group start and group end",
  outcome = { hang = { culprit = 1, call = 1, waiting = { 0, 2, 3 }, why = "missing-group-end" } },
}

local x = cuda.buffer("float32", 16):fill(1)

local function reduce(y)
  C.check(C.ncclGroupStart())
  C.check(C.ncclAllReduce(y, y, #y, C.ncclFloat32, C.ncclSum, world, stream))
  if rank == 1 then
    return -- the call is queued, and stays queued; nothing is on the stream
  end
  C.check(C.ncclGroupEnd())
end

reduce(x)
stream:sync() -- rank 1 comes back at once, with the old values
