scenario {
  ranks   = 3,
  about   = "every rank copies the receive buffer of a reduce, which nothing has written where there is no result: one note",
  outcome = { pass = true, findings = 0, finding = { rule = "result-off-root", culprit = { 1, 2 }, call = 1 } },
}

local x, sum = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
world:reduce(x, sum, { root = 0 })
stream:sync()
local host = sum:get()
