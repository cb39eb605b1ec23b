local function shifted(s, by)
  return all_hold(s, "y", function(r) return (r - by) % s.nranks + 1 end)
end

return {
  title = "Send, receive, and a ring",
  ranks = 4,
  steps = {
    {
      text = [[
In a ring, every rank sends to the next rank and receives from the one before:

    right = (rank + 1) % nranks
    left  = (rank - 1) % nranks

Each rank holds rank + 1 in x.]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Send every x one rank to the right, into y: rank 1 gets the x of rank 0, and rank 0 gets the x of rank 3.",
      check = function(s)
        if next(s.errors) then return false, "a line failed; a peer is a rank from 0 to 3: use % nranks" end
        if shifted(s, 1) then return true end
        if shifted(s, -1) then return false, "that was to the left; `:again`" end
        if unfinished(s) then return false, "ranks wait for each other: put send and receive in one group; `:again`" end
      end,
      right = "That was one step of a ring.",
      hints = { "Define right and left first.", "nccl.group(function() world:send(x, right) world:recv(y, left) end)" },
      calls = { { "ncclSend" }, { "ncclRecv" } },
      solution = "right = (rank + 1) % nranks\nleft = (rank - 1) % nranks\nnccl.group(function() world:send(x, right) world:recv(y, left) end)",
      wrong = {
        { "y:fill((rank - 1) % 4 + 1)", "by hand" },
        { "nccl.group(function() world:send(x, (rank - 1) % nranks) world:recv(y, (rank + 1) % nranks) end)", "to the left" },
        { "world:send(x, (rank + 1) % nranks)", "in one group" },
        { "world:send(x, rank + 1)", "% nranks" },
      },
    },
    {
      text = [[
Without groups, a ring can still work if not all ranks send first. Suppose that even ranks call send and then
recv, and odd ranks call recv and then send. Each rank sends to the right and receives from the left.]],
      task = "Do the four ranks finish? Type yes or no.",
      answer = "yes",
      right = "Ranks 0 and 2 send while ranks 1 and 3 receive; then the roles change. With an odd number of ranks it also works, with one more step.",
      hints = { "Rank 0 sends to rank 1. What does rank 1 do at that time?" },
      wrong = {
        { "no", "rank 0 sends, and rank 1 receives at the same time: no rank waits in a circle" },
        { "sometimes", "the order of the calls decides, not timing" },
        { "only two", "the same holds for ranks 2 and 3, and then for the second half" },
        { "if rank % 2 == 0 then world:send(x, (rank + 1) % 4) else world:recv(y, rank - 1) end\nyes", "before you make the call" },
      },
    },
    {
      text = [[
Each send needs a receive with the same two ranks. The counts must agree, too: NCCL does not check whether a send
of 4 elements meets a receive of 2.]],
      setup = "y:fill(0)",
      task = "Let rank 0 send its x to rank 3, and let rank 3 receive it in y. The other ranks do nothing.",
      check = function(s)
        if s.holds(3, "y", 1) then
          if s.holds(1, "y", 0) and s.holds(2, "y", 0) then return true end
          return false, "ranks 1 and 2 must not take part; `:again`"
        end
        local w = s.waiting
        if #w > 1 then return false, "too many ranks take part; `:again`" end
        if next(s.errors) then return false, "a line failed; read the error above" end
        if #w == 1 and (w[1] == 0 or w[1] == 3) then return false, ("rank %d waits for its partner"):format(w[1]) end
      end,
      right = "Rank 3 holds 1 in y.",
      hints = { "@0 world:send(x, 3)", "@3 world:recv(y, 0)" },
      calls = { { "ncclSend", ranks = { 0 }, peer = 3 }, { "ncclRecv", ranks = { 3 }, peer = 0 } },
      solution = "@0 world:send(x, 3)\n@3 world:recv(y, 0)",
      wrong = {
        { "world:send(x, 3)", "too many ranks" },
        { "@0 world:send(x, 3)", "waits for its partner" },
        { "@3 y:fill(1)", "by hand" },
        { "y:fill(1)", "must not take part" },
      },
    },
    {
      text = [[
A ring can do what a broadcast does. The root sends, and each rank passes on what it received. No rank must know
more than its neighbors. A line for all ranks can test the rank:

    if rank > 0 then world:recv(y, rank - 1) end]],
      setup = 'y:fill(0)\n@0 y:fill(42)',
      task = "Rank 0's y is 42. Pass it along 0 -> 1 -> 2 -> 3 with send and recv.",
      check = function(s)
        if #s.made(0, "ncclBroadcast") + #s.made(0, "ncclAllReduce") > 0 then return false, "use send and recv; `:again`" end
        if all_hold(s, "y", 42) then return true end
        if unfinished(s) and #s.findings > 0 then return false, "the ranks wait for each other; type `:why`, then `:again`" end
      end,
      right = "NCCL's ring broadcast does the same, cut into slices so that all links work at the same time.",
      hints = { "A rank that is not the first receives. Then a rank that is not the last sends." },
      calls = { { "ncclSend", ranks = { 0, 1, 2 } }, { "ncclRecv", ranks = { 1, 2, 3 } } },
      solution = "if rank > 0 then world:recv(y, rank - 1) end\nif rank < nranks - 1 then world:send(y, rank + 1) end",
      wrong = {
        { "world:broadcast(y)", "use send and recv" },
        { "y:fill(42)", "by hand" },
        { "if rank < nranks - 1 then world:send(y, rank + 1) end\nworld:recv(y, rank)", "" },
        { "world:recv(y, (rank - 1) % nranks) world:send(y, (rank + 1) % nranks)", "wait for each other" },
      },
    },
  },
}
