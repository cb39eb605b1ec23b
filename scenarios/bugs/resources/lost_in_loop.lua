scenario {
  about   = "one rank leaves a step early and loses the scratch memory that it allocated for it",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "R1", nccl = "no error, until the device has no memory left" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-freed", culprit = run.param.culprit, certainty = "certain" } }
  end,
}

local x = cuda.buffer("float32", 256):fill(1)
for step = 1, 6 do
  local scratch = C.check(C.cudaMalloc(1024))
  C.check(C.cudaMemcpyAsync(scratch, x, 1024, C.cudaMemcpyDeviceToDevice, stream))
  world:all_reduce(x, { op = "max" })
  stream:sync()
  if rank == param.culprit and step % 2 == 0 then goto continue end -- nothing to evaluate: on to the next step
  C.check(C.cudaFree(scratch))
  ::continue::
end
expect.equal(x, 1)
