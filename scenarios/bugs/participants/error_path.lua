scenario {
  ranks   = 4,
  about   = "rank 1 catches an error and leaves; the others know nothing of it",
  outcome = { hang = { culprit = 1, call = 2, waiting = { 0, 2, 3 }, why = "error-path" } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)

local ok = pcall(function()
  local root = rank == 1 and 7 or 0
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream))
end)
if not ok then
  return -- "not my problem"
end
stream:sync()
