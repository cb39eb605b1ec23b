return {
  title = "Pipelines: stages that pass data on",
  ranks = 4,
  steps = {
    {
      text = [[
In pipeline parallelism each rank computes some layers: a stage. Stage r receives from stage r - 1, computes, and
sends to stage r + 1. A batch is cut into micro-batches, so that all stages can work at the same time.]],
      task = "4 stages, 4 micro-batches, one time unit per stage and micro-batch, only forward. How many time units in all?",
      answer = "7",
      right = "The last micro-batch enters stage 0 in unit 4 and leaves stage 3 in unit 7. Each stage is idle for 3 units: the bubble.",
      hints = { "When does the last micro-batch enter stage 0, and how long does it take from there?" },
      wrong = {
        { "4", "the first result leaves stage 3 only after 4 units, and 3 more follow" },
        { "16", "16 would be without overlap: one micro-batch after the other" },
        { "8", "the last micro-batch enters in unit 4 and needs 3 more units" },
        { "5", "each micro-batch passes 4 stages" },
      },
    },
    {
      text = [[
One micro-batch, forward. Each stage receives x, adds `one` (this stands for its layers), and sends x on. Stage 0
receives nothing, and stage 3 sends nothing. The addition must be in the same stream as the calls:

    x:add(one, { stream = stream })

A rank that waits takes no further lines, so type everything in one line, with blanks between the statements.]],
      setup = 'x = cuda.buffer("float32", 4):fill(0)\none = cuda.buffer("float32", 4):fill(1)',
      task = "Do it in one line: afterwards x is 1, 2, 3 and 4 on ranks 0 to 3.",
      check = function(s)
        if unfinished(s) then
          return false, #s.findings > 0 and "ranks wait for each other; which rank receives, and which sends? `:why`" or "the next stage must receive"
        end
        if all_hold(s, "x", function(r) return r + 1 end) then return true end
        if next(s.errors) then return false, "a line failed; stage 0 receives nothing, stage 3 sends nothing. `:again`" end
        if #s.made(0, "ncsAdd") > 0 and s.holds(3, "x", 1) then return false, "each stage must receive before it adds" end
      end,
      right = "Stage 3 holds 4: every stage added 1.",
      hints = { "if rank > 0 then world:recv(x, rank - 1) end", "x:add(one, { stream = stream })", "if rank < 3 then world:send(x, rank + 1) end" },
      calls = { { "ncclSend", ranks = { 0, 1, 2 } }, { "ncclRecv", ranks = { 1, 2, 3 } }, { "ncsAdd" } },
      solution = "if rank > 0 then world:recv(x, rank - 1) end x:add(one, { stream = stream }) if rank < 3 then world:send(x, rank + 1) end",
      wrong = {
        { "x:add(one)", "must receive before it adds" },
        { "x:fill(rank + 1)", "by hand" },
        { "world:recv(x, rank - 1) x:add(one) world:send(x, rank + 1)", "" },
        { "if rank < 3 then world:send(x, rank + 1) end", "must receive" },
        { "if rank < 3 then world:recv(x, rank + 1) end\nif rank > 0 then world:send(x, rank - 1) end", "" },
      },
    },
    {
      text = "The backward pass goes the other way: gradients pass from stage 3 to stage 0.",
      setup = 'grad = cuda.buffer("float32", 4):fill(0)\n@3 grad:fill(5)',
      task = "grad is 5 on rank 3. Pass it backward through all stages, so that it is 5 on every rank, with send and recv in one line.",
      check = function(s)
        if #s.made(0, "ncclBroadcast") + #s.made(0, "ncclAllReduce") > 0 then return false, "use send and recv; `:again`" end
        if unfinished(s) then return false, "ranks wait; a stage receives from rank + 1, and sends to rank - 1" end
        if all_hold(s, "grad", 5) then return true end
        if next(s.errors) then return false, "a line failed; stage 3 receives nothing, stage 0 sends nothing. `:again`" end
        if #s.made(1, "ncclSend") > 0 then return false, "the wrong values were passed on: which rank has the 5? `:again`" end
      end,
      right = "Forward and backward together make one micro-batch.",
      hints = { "if rank < 3 then world:recv(grad, rank + 1) end", "if rank > 0 then world:send(grad, rank - 1) end" },
      calls = { { "ncclSend", ranks = { 1, 2, 3 } }, { "ncclRecv", ranks = { 0, 1, 2 } } },
      solution = "if rank < 3 then world:recv(grad, rank + 1) end if rank > 0 then world:send(grad, rank - 1) end",
      wrong = {
        { "world:broadcast(grad, { root = 3 })", "use send and recv" },
        { "grad:fill(5)", "by hand" },
        { "if rank > 0 then world:recv(grad, rank - 1) end if rank < 3 then world:send(grad, rank + 1) end", "which rank has the 5" },
        { "@3 world:send(grad, 2)", "ranks wait" },
      },
    },
    {
      text = [[
When a schedule mixes forward and backward (1F1B), neighbors send in both directions at the same time. Stage 0 calls
send(act, 1) and then recv(grad, 1). Stage 1 calls send(grad, 0) and then recv(act, 0). No group is used.]],
      task = "Does it finish? Type yes or no.",
      answer = "no",
      right = "Both stages send first, and each waits for the other to receive. Buffered small messages can hide it for some sizes.",
      hints = { "Which call does each stage make first?" },
      wrong = {
        { "yes", "both stages send first, and no stage receives" },
        { "sometimes", "NCCL promises no buffering; a program that relies on it is wrong" },
        { "later", "both stages send first, and no stage receives" },
        { "0", "type yes or no" },
      },
    },
    {
      text = "The remedy is a group, which begins both calls together.",
      setup = ':reset -n 2\nact = cuda.buffer("float32", 4):fill(rank == 0 and 7 or 0)\ngrad = cuda.buffer("float32", 4):fill(rank == 1 and 9 or 0)',
      task = "Two ranks now. Send act (7) from rank 0 to rank 1 and grad (9) from rank 1 to rank 0, in one group on each rank.",
      check = function(s)
        if unfinished(s) then return false, "ranks wait; `:again`, and use nccl.group on both ranks" end
        if all_hold(s, "act", 7) and all_hold(s, "grad", 9) then
          for r = 0, 1 do
            local c = s.made(r, "ncclSend")
            if #c > 0 and not c[#c].grouped then return false, "that worked because of the order; use a group. `:again`" end
          end
          return true
        end
        if next(s.errors) then return false, "a line failed; read the error above" end
      end,
      right = "Frameworks batch such calls for this reason: batch_isend_irecv in PyTorch is one group.",
      hints = { "@0 nccl.group(function() world:send(act, 1) world:recv(grad, 1) end)", "@1 nccl.group(function() world:send(grad, 0) world:recv(act, 0) end)" },
      calls = { { "ncclSend", grouped = true }, { "ncclRecv", grouped = true } },
      solution = "@0 nccl.group(function() world:send(act, 1) world:recv(grad, 1) end)\n@1 nccl.group(function() world:send(grad, 0) world:recv(act, 0) end)",
      wrong = {
        { "act:fill(7) grad:fill(9)", "by hand" },
        { "@0 world:send(act, 1) world:recv(grad, 1)\n@1 world:send(grad, 0) world:recv(act, 0)", "ranks wait" },
        { "@0 world:send(act, 1) world:recv(grad, 1)\n@1 world:recv(act, 0) world:send(grad, 0)", "use a group" },
        { "@0 nccl.group(function() world:send(act, 1) world:recv(grad, 1) end)", "ranks wait" },
      },
    },
  },
}
