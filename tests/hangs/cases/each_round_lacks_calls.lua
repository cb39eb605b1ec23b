-- A parameter that one rank does not use: its bucket is not reduced there, in any step.
scenario { ranks = 8, outcome = { hang = { why = "skipped-call", culprit = 4 } } }

local mean, grads = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 1024):fill(1)
for step = 1, 3 do
  world:broadcast(mean, { root = 0 })
  for layer = 1, 5 do
    if rank ~= 4 then world:all_reduce(grads) end
  end
  stream:sync()
end
stream:sync()
