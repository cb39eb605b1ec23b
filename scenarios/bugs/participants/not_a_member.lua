scenario {
  about   = "one rank has no communicator there, and its wrapper passes that over in silence",
  bug     = { entry = "A4", thread = "pytorch/pytorch#22907",
              nccl = "NULL is refused with ncclInvalidArgument on that rank; the others wait for it" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "others", why = "error-path" },
             findings = 1 }
  end,
}

local x     = cuda.buffer("float32", 16):fill(1)
local comms = { [true] = world } -- of a table with a hole

local function reduce(y, comm)
  C.ncclAllReduce(y, y, #y, C.ncclFloat32, C.ncclSum, comm, stream) -- the result is thrown away
end

reduce(x, comms[rank ~= param.odd])
stream:sync()
