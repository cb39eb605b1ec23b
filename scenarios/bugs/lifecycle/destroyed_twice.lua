scenario {
  about   = "two owners of a communicator destroy it, or one uses it when the other has destroyed it",
  params  = { second = "destroy" },
  matrix  = { ranks = { 2, 4 }, second = { "destroy", "use" } },
  bug     = { entry = "H5", thread = "pytorch/pytorch#124468",
              nccl = "undefined: ncclInvalidArgument if the memory is still there, else a crash" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", rank = 1,
             call = run.param.second == "use" and "ncclAllReduce" or "ncclCommDestroy",
             finding = { rule = "used-after-destroy", culprit = 1 }, findings = 0 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

C.check(C.ncclCommDestroy(world))
if rank == 1 then -- say, in the destructor of an object that holds a copy of the handle
  if param.second == "destroy" then C.check(C.ncclCommDestroy(world))
  else C.check(C.ncclAllReduce(x, x, 16, C.ncclFloat32, C.ncclSum, world, stream)) end
end
