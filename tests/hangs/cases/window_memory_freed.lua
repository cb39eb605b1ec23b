scenario {
  ranks   = 2,
  about   = "memory is freed while its registration and its window are there",
  needs   = { nccl = "2.29" },
  outcome = { pass = true, findings = 0,
              finding = { rule = "freed-while-registered", culprit = 1, certainty = "undefined" } },
}

local x = cuda.buffer("float32", 256, { memory = "nccl" }):fill(1)
local registration = world:register(x)
local window = world:window(x, { symmetric = true })
world:all_reduce(x)
stream:sync()
if rank == 1 then x:free() end
window:deregister()
registration:deregister()
