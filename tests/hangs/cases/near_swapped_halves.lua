-- Half of the ranks begin with the one buffer and half with the other; a wrong expectation does not make
-- that a mistake.
scenario { ranks = 4 }
local x = { [0] = cuda.buffer("int32", 4):fill(1), cuda.buffer("int32", 4):fill(1) }
for i = 0, 3 do
  world:all_reduce(x[(rank + i) % 2])
end
stream:sync()
expect.equal(x[0], 5)
