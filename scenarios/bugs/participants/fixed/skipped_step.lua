scenario {
  about   = "the mended skipped_step: all ranks skip the step if one of them has to",
  params  = { odd = 0, step = 3 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 }, step = { 1, 3, 5 } },
}

local grad, fine = cuda.buffer("float32", 256), cuda.buffer("int32", 1)

for step = 1, 5 do
  grad:fill(step)
  fine:fill(rank == param.odd and step == param.step and 0 or 1)
  world:all_reduce(fine, { op = "min", label = "check " .. step })
  stream:sync()
  if fine[1] == 1 then
    world:all_reduce(grad, { op = "avg", label = "step " .. step })
    stream:sync()
    expect.equal(grad, step)
  end
end
