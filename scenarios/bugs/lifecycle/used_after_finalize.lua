scenario {
  about   = "one rank's wrapper finalizes the communicator, and the loop that holds the handle goes on",
  needs   = { driver = "sim" }, -- NCCL itself crashes or waits here
  params  = { culprit = 0, call = "all_reduce" },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 }, call = { "all_reduce", "reduce" } },
  bug     = { entry = "H5",
              nccl = "undefined: no check refuses the call; that rank crashes or waits, and the others wait" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", rank = run.param.culprit,
             call = run.param.call == "reduce" and "ncclReduce" or "ncclAllReduce", findings = 1,
             finding = { rule = "real-library-crash", culprit = run.param.culprit, waiting = "others",
                         call = 2 } }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == param.culprit then
  world:finalize() -- say, in a handler of an error that the loop survives
end
if param.call == "all_reduce" then
  C.check(C.ncclAllReduce(x, x, 16, C.ncclFloat32, C.ncclSum, world, stream))
else
  C.check(C.ncclReduce(x, x, 16, C.ncclFloat32, C.ncclSum, 0, world, stream))
end
stream:sync()
