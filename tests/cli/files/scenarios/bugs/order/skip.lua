scenario {
  ranks = 3, params = { who = 1 }, matrix = { who = { 0, 2 } },
  about = "a rank skips a call",
  bug = { entry = "A1", nccl = "waits for ever", thread = { "a/b#1", "c/d#2" } },
  outcome = function(run)
    return { hang = { culprit = run.param.who, call = 1, waiting = "others", why = "skipped-call" } }
  end,
}
local x = cuda.buffer("float32", 4):fill(1)
if rank ~= param.who then world:all_reduce(x) end
stream:sync()
