scenario {
  about = "each rank leaves out another element, which the sum and then the host take: one note each", ranks = 3,
  outcome = { pass = true, findings = 0, finding = { rule = "never-written", culprit = { 1, 2 }, call = 1 } },
}
local x = cuda.buffer("float32", 16)
x:slice(1, 4 + rank):fill(1)
if rank > 0 then x:slice(6 + rank):fill(1) else x:slice(5):fill(1) end
world:all_reduce(x)
stream:sync()
local y = cuda.buffer("float32", 16)
y:slice(1, rank + 1):fill(1)
local read = y:get(1, rank + 2)
