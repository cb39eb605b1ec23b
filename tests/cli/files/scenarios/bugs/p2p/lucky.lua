scenario {
  about = "two send first",
  bug = { entry = "D2" },
  outcome = function(run)
    if run.policy == "typical" then
      return { pass = true, findings = 0, finding = { rule = "p2p-cycle", culprit = { 0, 1 } } }
    end
    return { hang = { culprit = { 0, 1 }, why = "p2p-cycle" } }
  end,
}
local x, y = cuda.buffer("float32", 4):fill(rank), cuda.buffer("float32", 4)
for _, grouped in ipairs { true, false } do
  local function exchange() world:send(x, 1 - rank) world:recv(y, 1 - rank) end
  if grouped then nccl.group(exchange) else exchange() end
  stream:sync()
end
