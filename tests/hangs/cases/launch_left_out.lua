scenario {
  about = "one rank launches a graph once less than the others, and destroys the communicator", ranks = 3,
  params = { ends = "sum" }, matrix = { ends = { "sum", "destroy" } }, needs = { driver = "sim" },
  outcome = function(run)
    return { hang = { culprit = 1, why = run.param.ends == "sum" and "skipped-call" or "early-destroy" }, findings = 1 }
  end,
}
local x = cuda.buffer("float32", 8):fill(1)
local step = cuda.graph(stream, function()
  world:all_reduce(x)
end)
for _ = 1, rank == 1 and 2 or 3 do
  step:launch(stream)
end
if param.ends == "sum" then world:all_reduce(x, { op = "max" }) end
stream:sync()
step:destroy()
if param.ends == "destroy" then world:destroy() end
