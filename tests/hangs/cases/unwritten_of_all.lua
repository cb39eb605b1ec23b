scenario {
  ranks   = 4,
  about   = "what every rank reads is gathered of the unwritten memory of three ranks: one note that names the three",
  outcome = {
    pass    = true,
    findings = 0,
    finding = { rule = "never-written", culprit = { 0, 2, 3 } },
  },
}

local x, all = cuda.buffer("float32", 8), cuda.buffer("float32", 8 * nranks)
if rank == 1 then x:fill(1) end
world:all_gather(x, all)
stream:sync()
local host = all:get()
