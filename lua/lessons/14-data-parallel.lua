-- Overlap: each all-reduce waits for an event that was recorded right after its own computation, and for no later one.
-- Returns what is wrong with the calls of a rank; nil = nothing.
local function overlap_fault(made)
  local delays, after, waited, reduced = 0, {}, 0, {} -- after[event]: computations before its record
  for _, c in ipairs(made) do
    if c.fn == "ncsDelay" then delays = delays + 1
    elseif c.fn == "cudaEventRecord" then after[c.event] = delays
    elseif c.fn == "cudaStreamWaitEvent" then waited = math.max(waited, after[c.event] or 0)
    elseif c.fn == "ncclAllReduce" then reduced[#reduced + 1] = waited end
  end
  if delays < 2 then return "compute the two layers first: stream:delay(1), twice." end
  if #reduced < 2 then return "all-reduce both, g2 and g1." end
  if reduced[1] == 0 or reduced[2] < 2 then
    return "nothing made the communication wait for the computation: it may read too early."
  end
  if reduced[1] > 1 then
    return "no overlap: the first all-reduce waits for both computations. Record e2 between the delays."
  end
end

return {
  title = "A training step in parallel, with overlap",
  ranks = 4,
  steps = {
    {
      text = [[
Data-parallel training: every rank has the same weights w and its own data. Each computes gradients g of its
own, all average them, and all make the same step. Then the weights stay the same everywhere.

    w:add(g) adds g to w. The gradients are rank + 1 here, so their mean is 2.5.]],
      setup = 'w = cuda.buffer("float32", 4):fill(100)\ng = cuda.buffer("float32", 4):fill(rank + 1)',
      task = "Average g over all ranks and add it to w: 102.5 on every rank.",
      check = function(s)
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "w", 102.5) and 1 or 0) end
        if n == 4 then return true end
        if s.holds(0, "w", 110) then return false, "that was the sum, not the mean; :again" end
        if s.holds(0, "w", 101) then return false, "each rank added its own gradient: the weights differ now. :again" end
      end,
      hints = { 'world:all_reduce(g, { op = "avg" })', "stream:sync() w:add(g)" },
      calls = { { "ncclAllReduce" } },
      solution = 'world:all_reduce(g, { op = "avg" })\nstream:sync()\nw:add(g)',
      wrong = {
        { "w:fill(102.5)", "by hand" },
        { "world:all_reduce(g)\nstream:sync()\nw:add(g)", "not the mean" },
        { "w:add(g)", "the weights differ" },
      },
    },
    {
      text = [[
Gradients are ready layer by layer, the last layer first. Who waits for all before communicating wastes time.
Instead each layer's gradients are sent off as soon as they are there, in a stream for communication, while the
next layer is computed in another. stream:delay(seconds) stands for a computation.

Here are two layers, g2 and g1, to be computed in `stream` for 1 s each; `comms` is the stream for communication.
Every all-reduce takes its stream as an option: { stream = comms }.]],
      setup = 'g1 = cuda.buffer("float32", 4):fill(rank + 1)\ng2 = cuda.buffer("float32", 4):fill(rank + 1)\ncomms = cuda.stream()\ne2 = cuda.event()\ne1 = cuda.event()\nworld:all_reduce(w, { op = "max", stream = comms })\ncomms:sync()',
      task = [[On every rank: delay, record e2, delay, record e1 in `stream`; in `comms` wait for e2, all-reduce g2, wait for
e1, all-reduce g1; at last comms:sync().]],
      check = function(s)
        local right = 0
        for r = 0, 3 do right = right + (s.holds(r, "g1", 10) and s.holds(r, "g2", 10) and 1 or 0) end
        if #s.waiting > 0 then return false, "ranks wait; :waits" end
        if right < 4 then return nil end
        for r = 0, 3 do
          local fault = overlap_fault(s.made(r))
          if fault then return false, fault .. " :again" end
        end
        return true
      end,
      right = "The first all-reduce ran while the second layer was computed. `:time` shows that both took little more than the two delays.",
      hints = {
        "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream)",
        "comms:wait(e2) world:all_reduce(g2, { stream = comms })",
        "comms:wait(e1) world:all_reduce(g1, { stream = comms }) comms:sync()",
      },
      calls = { { "ncclAllReduce", times = 2, op = "sum" } },
      solution = [[
stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream)
comms:wait(e2) world:all_reduce(g2, { stream = comms })
comms:wait(e1) world:all_reduce(g1, { stream = comms })
comms:sync()]],
      wrong = {
        { "world:all_reduce(g2, { stream = comms }) world:all_reduce(g1, { stream = comms }) comms:sync()", "compute the two layers" },
        { "stream:delay(1) stream:delay(1) e2:record(stream) comms:wait(e2) world:all_reduce(g2, { stream = comms }) world:all_reduce(g1, { stream = comms }) comms:sync()", "no overlap" },
        { "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream) world:all_reduce(g2, { stream = comms }) world:all_reduce(g1, { stream = comms }) comms:sync()", "may read too early" },
        { "g1:fill(10) g2:fill(10)", "compute the two layers" },
      },
    },
    {
      text = [[
Whether a step is skipped (a gradient was not a number, a batch empty) has to be decided by all ranks together:
a rank that leaves out an all-reduce hangs the others. So the ranks vote. `bad` is 1 on rank 3 and 0 elsewhere.]],
      setup = 'bad = cuda.buffer("int32", 1):fill(rank == 3 and 1 or 0)',
      task = "Let every rank know, in `bad`, whether any rank has a 1.",
      check = function(s)
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "bad", 1) and 1 or 0) end
        if n == 4 then return true end
        if s.holds(0, "bad", 0) and #s.calls(0, "ncclAllReduce") > 3 then
          return false, "`min` and `avg` lose the 1; :again"
        end
      end,
      right = "Now `if bad[1] == 1` is the same on all ranks, and all skip or none does.",
      hints = { 'The operator "max", or the sum.' },
      calls = { { "ncclAllReduce", dtype = "int32", op = { "max", "sum" } } },
      solution = 'world:all_reduce(bad, { op = "max" })',
      wrong = {
        { 'world:all_reduce(bad, { op = "min" })', "lose the 1" },
        { "bad:fill(1)", "by hand" },
        { "@3 world:broadcast(bad, { root = 3 })", "" },
      },
    },
  },
}
