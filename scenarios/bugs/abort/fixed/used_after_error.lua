scenario {
  about  = "the mended used_after_error: errors are asked for behind each step, and all abort on the first",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  world:all_reduce(x)
  stream:sync()
  if step == 2 then fault.async_error { rank = param.culprit, code = "ncclRemoteError" } end
  store:set("state" .. step .. "." .. rank, world:async_error())
  local failed = false
  for r = 0, nranks - 1 do
    failed = store:get("state" .. step .. "." .. r) ~= "ncclSuccess" or failed
  end
  if failed then break end
end
world:abort()
