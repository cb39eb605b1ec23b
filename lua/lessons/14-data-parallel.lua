-- Overlap: g2 is all-reduced after the first computation and not after the second one, g1 after both. Times are those
-- of the simulator: a computation takes a second, everything else far less. The calls say which stream, event and
-- buffer was used. Returns what is wrong with the calls of a rank, and what is missing at their end; nil = nothing.
local function overlap_fault(made, g1, g2)
  local delays, after, seen, reduced = 0, {}, {}, {}  -- after[event]: computations before its record; seen[stream]
  local computing, synced
  for _, c in ipairs(made) do
    if c.fn == "ncsDelay" and c.seconds >= 1 then
      delays, computing = delays + 1, computing or c.stream
    elseif c.fn == "cudaEventRecord" and c.stream == computing then
      after[c.event] = delays
    elseif c.fn == "cudaStreamWaitEvent" then
      seen[c.stream] = math.max(seen[c.stream] or 0, after[c.event] or 0)
    elseif c.fn == "ncclAllReduce" then
      if c.stream == computing then return "communicate in the stream comms, not in the stream that computes." end
      reduced[c.recv] = seen[c.stream] or 0
      synced = nil
    elseif c.fn == "cudaStreamSynchronize" or c.fn == "cudaDeviceSynchronize" then
      if delays > 0 and not (reduced[g1] and reduced[g2]) then return "the host waited between the steps: let streams wait." end
      synced = true
    end
  end
  if delays < 2 then return "compute the two layers first: stream:delay(1), twice." end
  if not reduced[g1] or not reduced[g2] then return "all-reduce both, g2 and g1." end
  if reduced[g2] == 0 or reduced[g1] < 2 then
    return "the communication did not wait for its computation: it may read too early."
  end
  if reduced[g2] > 1 then
    return "no overlap: the all-reduce of g2 waits for both computations. Record e2 between the delays."
  end
  if not synced then return nil, "both all-reduces are on their way. Now the host has to wait for them: comms:sync()" end
end

-- True if a rank's w:add(g) follows an all-reduce in another stream, and nothing has waited for the all-reduce.
local function adds_too_early(made)
  local running -- the stream of an all-reduce that nothing has waited for
  for _, c in ipairs(made) do
    if c.fn == "ncclAllReduce" then
      running = c.stream
    elseif c.fn == "cudaDeviceSynchronize" or c.fn == "cudaEventSynchronize" or c.fn == "cudaStreamWaitEvent" or
        (c.fn == "cudaStreamSynchronize" and c.stream == running) then
      running = nil
    elseif c.fn == "ncsAdd" and running and c.stream ~= running then
      return true
    end
  end
  return false
end

return {
  title = "Data-parallel training, with overlap",
  ranks = 4,
  steps = {
    {
      text = [[
In data-parallel training, every rank has the same weights w and its own data. Each rank computes its own gradients
g. The ranks average the gradients, and all make the same step. So the weights stay equal on all ranks.

w:add(g) adds g to w. The all-reduce runs in `stream`, and w:add(g) does not wait for it: something has to wait in
between. Here w is 100 and the gradients are rank + 1, so their mean is 2.5.]],
      setup = 'w = cuda.buffer("float32", 4):fill(100)\ng = cuda.buffer("float32", 4):fill(rank + 1)',
      task = "Average g over all ranks and add it to w: 102.5 on every rank.",
      check = function(s)
        for r = 0, 3 do
          if adds_too_early(s.made(r)) then
            return false, "w:add(g) does not wait for the all-reduce, so it may read g too early: stream:sync() comes first. `:again`"
          end
        end
        if all_hold(s, "w", 102.5) then return true end
        if s.holds(0, "w", 110) then return false, "that was the sum, not the mean; `:again`" end
        if s.holds(0, "w", 101) and s.holds(1, "w", 102) then
          return false, "each rank added its own gradient: the weights differ now. `:again`"
        end
        if unfinished(s) then return false, "all ranks must average" end
      end,
      right = "All ranks hold the same weights.",
      hints = { 'world:all_reduce(g, { op = "avg" })', "stream:sync() w:add(g)" },
      calls = { { "ncclAllReduce" } }, fills = true,
      solution = 'world:all_reduce(g, { op = "avg" })\nstream:sync()\nw:add(g)',
      wrong = {
        { "w:fill(102.5)", "the task needs all_reduce" },
        { 'world:all_reduce(g, { op = "avg" }) w:add(g)', "does not wait" },
        { 'world:all_reduce(g, { op = "avg" })\nw:add(g)', "does not wait" },
        { 'world:all_reduce(g, { op = "avg" })\nw:add(g)\nstream:sync()', "does not wait" },
        { "world:all_reduce(g)\nstream:sync()\nw:add(g)", "not the mean" },
        { "w:add(g)", "the weights differ" },
        { '@0..2 world:all_reduce(g, { op = "avg" })', "all ranks must average" },
      },
    },
    {
      text = [[
The gradients of the last layer are ready first. If a rank waits for all gradients before it communicates, it
wastes time. Suppose that a model has 4 layers, that each layer's gradients take 10 ms to compute, and that each
all-reduce takes 10 ms in another stream.]],
      task = "How many ms does the step take, if each layer's all-reduce starts as soon as its gradients are ready?",
      answer = "50",
      right = "The computation takes 40 ms. Only the last all-reduce is not hidden behind it.",
      hints = { "The first three all-reduces run while the next layer is computed." },
      wrong = {
        { "80", "80 ms is the time without overlap" },
        { "40", "the last layer's all-reduce can start only when its gradients are ready, after 40 ms" },
        { "20", "four layers are computed one after another" },
        { "10", "four layers are computed one after another" },
      },
    },
    {
      text = [[
Here are two layers with the gradients g2 and g1. Each is computed in `stream` for 1 s; stream:delay(1) stands for
the computation. The stream `comms` is for communication: all_reduce takes the option { stream = comms }. The
events e2 and e1 exist.]],
      setup = 'g1 = cuda.buffer("float32", 4):fill(rank + 1)\ng2 = cuda.buffer("float32", 4):fill(rank + 1)\ncomms = cuda.stream()\ne2 = cuda.event()\ne1 = cuda.event()\nworld:all_reduce(w, { op = "max", stream = comms })\ncomms:sync()',
      task = [[On every rank, in `stream`: delay, record e2, delay, record e1. In `comms`: wait for e2, all-reduce g2, wait for
e1, all-reduce g1. Each all-reduce builds the sum. At the end, comms:sync().]],
      check = function(s)
        if #s.waiting > 0 then return false, "ranks wait; `:waits` shows for whom" end
        if not all_hold(s, "g1", 10) or not all_hold(s, "g2", 10) then
          if unfinished(s) then return nil end
          return nil, #s.made(0, "ncclAllReduce") > 0 and "all-reduce both, g2 and g1, with the operator sum" or nil
        end
        for r = 0, 3 do
          local fault, next_step = overlap_fault(s.made(r), s.address(r, "g1"), s.address(r, "g2"))
          if fault then return false, fault .. " `:again`" end
          if next_step then return false, next_step end
        end
        return true
      end,
      right = "The first all-reduce ran while the second layer was computed. `:time` shows little more than the two delays.",
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
        { "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream) comms:wait(e2) world:all_reduce(g1, { stream = comms }) comms:wait(e1) world:all_reduce(g2, { stream = comms }) comms:sync()", "may read too early" },
        { "stream:delay(0) e2:record(stream) stream:delay(0) e1:record(stream) comms:wait(e2) world:all_reduce(g2, { stream = comms }) comms:wait(e1) world:all_reduce(g1, { stream = comms }) comms:sync()", "compute the two layers" },
        { "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream) world:all_reduce(g2) world:all_reduce(g1) stream:sync()", "in the stream comms" },
        { "stream:delay(1) stream:sync() e2:record(stream) stream:delay(1) e1:record(stream) comms:wait(e2) world:all_reduce(g2, { stream = comms }) comms:wait(e1) world:all_reduce(g1, { stream = comms }) comms:sync()", "the host waited" },
        { "stream:delay(1) e2:record(comms) stream:delay(1) e1:record(comms) comms:wait(e2) world:all_reduce(g2, { stream = comms }) comms:wait(e1) world:all_reduce(g1, { stream = comms }) comms:sync()", "may read too early" },
        { "g1:fill(10) g2:fill(10)", "compute the two layers" },
        { "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream)\ncomms:wait(e2) world:all_reduce(g2, { stream = comms })\ncomms:wait(e1) world:all_reduce(g1, { stream = comms })", "comms:sync()" },
        { "stream:delay(1) e2:record(stream) stream:delay(1) e1:record(stream) comms:wait(e2) world:all_reduce(g2, { op = \"avg\", stream = comms }) comms:wait(e1) world:all_reduce(g1, { op = \"avg\", stream = comms }) comms:sync()", "sum" },
      },
    },
    {
      text = [[
A rank that skips a step (a gradient was not a number, a batch was empty) leaves out an all-reduce and hangs the
others. So the ranks must decide together. On rank 3, `bad` is 1; on the other ranks it is 0.]],
      setup = 'bad = cuda.buffer("int32", 1):fill(rank == 3 and 1 or 0)',
      task = "Let every rank know, in `bad`, whether any rank has a 1.",
      check = function(s)
        if all_hold(s, "bad", 1) then return true end
        if unfinished(s) then return false, "all ranks must vote" end
        local c = s.made(0, "ncclAllReduce")
        if #c > 0 and s.holds(0, "bad", 0) then return false, ("`%s` loses the 1; `:again`"):format(c[#c].op) end
      end,
      right = "Now `if bad[1] == 1` has the same result on all ranks: all ranks skip, or none does.",
      hints = { 'Use the operator "max", or the sum.' },
      calls = { { "ncclAllReduce", dtype = "int32", op = { "max", "sum" } } },
      solution = 'world:all_reduce(bad, { op = "max" })',
      wrong = {
        { 'world:all_reduce(bad, { op = "min" })', "loses the 1" },
        { 'world:all_reduce(bad, { op = "avg" })', "loses the 1" },
        { "bad:fill(1)", "by hand" },
        { "@3 world:broadcast(bad, { root = 3 })", "all ranks must vote" },
        { "world:broadcast(bad, { root = 3 })", "the task needs all_reduce" },
      },
    },
  },
}
