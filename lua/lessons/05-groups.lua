return {
  title = "Groups: calls that belong together",
  ranks = 2,
  steps = {
    {
      text = [[
world:send(x, 1) sends x to rank 1, world:recv(y, 0) receives from rank 0. A send is done when it has been
received, so who sends first and receives afterwards waits for a partner that does the same.]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Bring both ranks into that state: let both send x to the other, `1 - rank`, and nothing else.",
      check = function(s)
        if #s.waiting == 2 and s.findings[1] == "p2p-cycle" then return true end
        if #s.calls(0, "ncclRecv") > 0 then return false, "only the sends for now; :again" end
        if #s.waiting == 1 then return false, "the other rank too" end
      end,
      right = "Each waits for the other to receive. `:why` names the cycle; `:waits` draws it.",
      hints = { "world:send(x, 1 - rank)" },
      solution = "world:send(x, 1 - rank)",
      wrong = { { "@0 world:send(x, 1)", "the other rank too" } },
    },
    {
      text = [[
In a group the calls are one thing: they begin together and none waits for another's turn.

    nccl.group(function()
      world:send(x, 1 - rank)
      world:recv(y, 1 - rank)
    end)

The prompt takes several lines; it goes on until the function is closed.]],
      setup = ':reset -n 2\nx = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "The sends have been undone. Exchange x, each into the y of the other, in a group.",
      check = function(s)
        if s.holds(0, "y", 2) and s.holds(1, "y", 1) then
          local c = s.made(0, "ncclSend")
          if #c > 0 and not c[#c].grouped then return false, "that worked because of the order; do it in a group. :again" end
          return true
        end
        if #s.waiting > 0 then return false, "ranks wait; :again begins the step anew" end
      end,
      right = "This is what every exchange between neighbours looks like.",
      hints = { "nccl.group(function() world:send(x, 1 - rank) world:recv(y, 1 - rank) end)" },
      calls = { { "ncclSend", grouped = true }, { "ncclRecv", grouped = true } },
      solution = "nccl.group(function()\n  world:send(x, 1 - rank)\n  world:recv(y, 1 - rank)\nend)",
      wrong = {
        { "y:fill(2 - rank)", "by hand" },
        { "world:send(x, 1 - rank) world:recv(y, 1 - rank)", "ranks wait" },
        { "@0 world:send(x, 1) world:recv(y, 1)\n@1 world:recv(y, 0) world:send(x, 0)", "do it in a group" },
      },
    },
    {
      text = [[
One thread that drives several GPUs needs groups for another reason: each call waits for the other ranks, and
the other ranks are the same thread. Here rank 0 shall drive two GPUs of its own by a communicator of its own:

    comms = nccl.init_all(2)       -- comms[1] is its rank 0 on device 0, comms[2] its rank 1 on device 1]],
      setup = '@0 comms = nccl.init_all(2)\n@0 a = cuda.buffer("float32", 2, { device = 0 }):fill(1)\n@0 b = cuda.buffer("float32", 2, { device = 1 }):fill(2)',
      task = "On rank 0, all-reduce a on comms[1] and b on comms[2], so that both become 3. (Only rank 0 has them.)",
      check = function(s)
        if s.errors[1] then return false, "rank 1 has no comms: begin the line with @0" end
        if s.holds(0, "a", 3) and s.holds(0, "b", 3) then return true end
        if #s.waiting > 0 then
          return false, "the first call waits for the second, which the same thread would have to make; :again, with a group"
        end
      end,
      right = "Without the group the thread would wait for itself: the classical hang of one thread with several GPUs.",
      hints = { "@0 nccl.group(function() ... end)", "comms[1]:all_reduce(a) comms[2]:all_reduce(b)" },
      calls = { { "ncclAllReduce", ranks = { 0 }, times = 2, grouped = true } },
      solution = "@0 nccl.group(function() comms[1]:all_reduce(a) comms[2]:all_reduce(b) end)",
      wrong = {
        { "@0 a:fill(3) b:fill(3)", "by hand" },
        { "@0 comms[1]:all_reduce(a) comms[2]:all_reduce(b)", "the first call waits" },
        { "nccl.group(function() comms[1]:all_reduce(a) comms[2]:all_reduce(b) end)", "@0" },
      },
    },
  },
}
