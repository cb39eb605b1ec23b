scenario {
  ranks   = 4,
  about   = "a window is registered by every rank but one",
  outcome = { hang = { culprit = 2, waiting = { 0, 1, 3 } } },
}

local x = cuda.buffer("float32", 64, { memory = "nccl" })

-- Registration is collective: also a rank that nobody puts into has to make the call.
if rank ~= 2 then
  world:window(x, { symmetric = true })
end
