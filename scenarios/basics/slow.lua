scenario { ranks = 4, about = "a rank that is late and a link that is slow are waited for" }

local x = cuda.buffer("float32", 1024)
fault.slow { rank = 2, call = 2, seconds = 3600 }
fault.link { rank = 0, peer = 3, seconds = 0.5 }
for step = 1, 3 do
  x:fill(step)
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, step * nranks)
end
expect.that(clock() >= 3601.5, "an hour for the rank, half a second for each call over the link")
