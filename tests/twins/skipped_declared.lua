scenario {
  ranks = 4,
  about = "the same, and declared",
  outcome = { hang = { culprit = 2, call = 2 }, finding = "skipped-call" },
}
local x = cuda.buffer("float32", 1024)
world:all_reduce(x)
if rank ~= 2 then
  world:all_reduce(x)
end
stream:sync()
