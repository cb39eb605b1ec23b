scenario {
  about = "in a loop, all destroy after the sum; in the last round one rank destroys before it", ranks = 4,
  needs = { driver = "sim" },
  outcome = { hang = { culprit = 2, why = "destroy-order", waiting = "all" }, findings = 1 },
}
local x = cuda.buffer("float32", 16):fill(1)
for step = 1, 3 do
  local half = world:split { color = 0, name = "half" .. step }
  half:all_reduce(x)
  stream:sync()
  for turn = 1, 2 do
    if turn == (rank == 2 and step == 3 and 1 or 2) then half:destroy() end
    if turn == 1 then
      world:all_reduce(x)
      stream:sync()
    end
  end
end
