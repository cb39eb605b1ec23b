return {
  title = "Groups: calls that begin together",
  ranks = 2,
  steps = {
    {
      text = [[
world:send(x, 1) sends x to rank 1, and world:recv(y, 0) receives from rank 0. A send is complete when the other
rank has received the data. So two ranks that both send first wait for each other.]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Create this situation: both ranks send x to the other rank, `1 - rank`, and do nothing else.",
      check = function(s)
        if #s.made(0, "ncclRecv") + #s.made(1, "ncclRecv") > 0 then return false, "only the sends for now; `:again`" end
        if #s.waiting == 2 and s.findings[1] == "p2p-cycle" then return true end
        if #s.waiting == 1 then return false, "the other rank must send, too" end
        if next(s.errors) then return false, "a line failed; the peer of rank 0 is rank 1, and the other way round" end
      end,
      right = "Each rank waits for the other to receive. `:why` names the cycle, and `:waits` draws it.",
      hints = { "world:send(x, 1 - rank)" },
      solution = "world:send(x, 1 - rank)",
      wrong = {
        { "@0 world:send(x, 1)", "the other rank must send" },
        { "@0 world:send(x, 1)\n@1 world:recv(y, 0)", "only the sends" },
        { "world:send(x, rank + 2)", "a line failed" },
        { "nccl.group(function() world:send(x, 1 - rank) world:recv(y, 1 - rank) end)", "only the sends" },
      },
    },
    {
      text = [[
In a group, several calls become one operation. They begin together, and no call waits for the one before it:

    nccl.group(function()
      world:send(x, 1 - rank)
      world:recv(y, 1 - rank)
    end)

You can type this in several lines: the prompt continues until the function is closed.]],
      setup = ':reset -n 2\nx = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "The sends were undone. Exchange x in a group: each rank receives the other's x in y.",
      check = function(s)
        if s.holds(0, "y", 2) and s.holds(1, "y", 1) then
          local c = s.made(0, "ncclSend")
          if #c > 0 and not c[#c].grouped then return false, "that worked because of the order; use a group. `:again`" end
          return true
        end
        if unfinished(s) then return false, "ranks wait; `:again` starts the step again" end
      end,
      right = "Every exchange between neighbors looks like this.",
      hints = { "nccl.group(function() world:send(x, 1 - rank) world:recv(y, 1 - rank) end)" },
      calls = { { "ncclSend", grouped = true }, { "ncclRecv", grouped = true } },
      solution = "nccl.group(function()\n  world:send(x, 1 - rank)\n  world:recv(y, 1 - rank)\nend)",
      wrong = {
        { "y:fill(2 - rank)", "by hand" },
        { "world:send(x, 1 - rank) world:recv(y, 1 - rank)", "ranks wait" },
        { "@0 world:send(x, 1) world:recv(y, 1)\n@1 world:recv(y, 0) world:send(x, 0)", "use a group" },
        { "@0 nccl.group(function() world:send(x, 1) world:recv(y, 1) end)", "ranks wait" },
      },
    },
    {
      text = [[
A group has one more property: the calls start when the group ends, and not before. Rank 0 runs this line:

    nccl.group(function() world:send(x, 1) print(1) end)]],
      setup = ':reset -n 2\nx = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Rank 1 has not received yet. Does rank 0 reach print(1)? Type yes or no.",
      answer = "yes",
      right = "Inside a group, calls are only collected. Rank 0 waits at the end of the group, or at the next synchronization.",
      hints = { "When does a call in a group start?" },
      wrong = {
        { "no", "inside the group the send is only recorded; nothing waits yet" },
        { "never", "inside the group the send is only recorded; nothing waits yet" },
        { "sometimes", "the answer does not depend on timing: the group only records the send" },
        { "@0 nccl.group(function() world:send(x, 1) print(1) end)\nyes", "before you make the call" },
      },
    },
    {
      text = [[
One thread that uses several GPUs needs groups for another reason. Each call waits for the other ranks, and the
same thread must make the calls of those ranks. Here rank 0 has two GPUs and a communicator over both:

    comms = nccl.init_all(2)       -- comms[1] is its rank 0 on device 0, comms[2] its rank 1 on device 1

Rank 0 has a = 1 on device 0 and b = 2 on device 1. Rank 1 has none of these.]],
      setup = '@0 comms = nccl.init_all(2)\n@0 a = cuda.buffer("float32", 2, { device = 0 }):fill(1)\n@0 b = cuda.buffer("float32", 2, { device = 1 }):fill(2)',
      task = "On rank 0, all-reduce a on comms[1] and b on comms[2], so that both become 3.",
      check = function(s)
        if s.errors[1] then return false, "rank 1 has no comms: begin the line with @0" end
        if s.holds(0, "a", 3) and s.holds(0, "b", 3) then return true end
        if unfinished(s) then
          return false, "the first call waits for the second, which the same thread must make; `:again`, and use a group"
        end
      end,
      right = "Without the group, the thread waits for itself. This is the classic hang of one thread with several GPUs.",
      hints = { "@0 nccl.group(function() ... end)", "comms[1]:all_reduce(a) comms[2]:all_reduce(b)" },
      calls = { { "ncclAllReduce", ranks = { 0 }, times = 2, grouped = true } },
      solution = "@0 nccl.group(function() comms[1]:all_reduce(a) comms[2]:all_reduce(b) end)",
      wrong = {
        { "@0 a:fill(3) b:fill(3)", "by hand" },
        { "@0 comms[1]:all_reduce(a) comms[2]:all_reduce(b)", "the first call waits" },
        { "nccl.group(function() comms[1]:all_reduce(a) comms[2]:all_reduce(b) end)", "@0" },
        { "@0 nccl.group(function() comms[1]:all_reduce(a) end)", "the first call waits" },
      },
    },
  },
}
