local function shifted(s, by)
  for r = 0, s.nranks - 1 do
    if not s.holds(r, "y", (r - by) % s.nranks + 1) then return false end
  end
  return true
end

return {
  title = "Send, receive, and a ring",
  ranks = 4,
  steps = {
    {
      text = [[
In a ring every rank sends to the next and receives from the one before:

    right = (rank + 1) % nranks
    left  = (rank - 1) % nranks]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Send every x one rank to the right, into y, so that rank 1 has rank 0's, and rank 0 rank 3's.",
      check = function(s)
        if next(s.errors) then return false, "a line failed; a peer is a rank from 0 to 3: % nranks" end
        if shifted(s, 1) then return true end
        if shifted(s, -1) then return false, "that was to the left; :again" end
        if #s.waiting > 0 then return false, "ranks wait for each other: send and receive belong into one group; :again" end
      end,
      right = "One step of a ring.",
      hints = { "nccl.group(function() world:send(x, right) world:recv(y, left) end)", "Define right and left first." },
      calls = { { "ncclSend" }, { "ncclRecv" } },
      solution = "right = (rank + 1) % nranks\nleft = (rank - 1) % nranks\nnccl.group(function() world:send(x, right) world:recv(y, left) end)",
      wrong = {
        { "y:fill((rank - 1) % 4 + 1)", "by hand" },
        { "nccl.group(function() world:send(x, (rank - 1) % nranks) world:recv(y, (rank + 1) % nranks) end)", "to the left" },
        { "world:send(x, (rank + 1) % nranks)", "belong into one group" },
        { "world:send(x, rank + 1)", "% nranks" },
      },
    },
    {
      text = [[
Counts have to agree: a send of 4 elements and a receive of 2 is a mistake that NCCL does not check. Peers have
to agree too: each send needs its receive.]],
      setup = "y:fill(0)",
      task = "Let rank 0 send its x to rank 3, and rank 3 receive it into y. Nobody else does anything.",
      check = function(s)
        if s.holds(3, "y", 1) then
          if s.holds(1, "y", 0) and s.holds(2, "y", 0) then return true end
          return false, "ranks 1 and 2 should have no part in it; :again"
        end
        local w = s.waiting
        if #w == 1 and w[1] == 0 then return nil end
        if #w == 1 and w[1] == 3 then return nil end
        if #w > 1 then return false, "too many ranks take part; :again" end
      end,
      hints = { "@0 world:send(x, 3)", "@3 world:recv(y, 0)" },
      calls = { { "ncclSend", ranks = { 0 }, peer = 3 }, { "ncclRecv", ranks = { 3 }, peer = 0 } },
      solution = "@0 world:send(x, 3)\n@3 world:recv(y, 0)",
      wrong = {
        { "world:send(x, 3)", "too many ranks" },
        { "@3 y:fill(1)", "by hand" },
        { "y:fill(1)", "no part in it" },
      },
    },
    {
      text = [[
A ring can do what a broadcast does: the root sends, each rank passes on what it has received. Nobody has to
know more than its neighbours. Ranks that only receive and pass on need no group.]],
      setup = 'y:fill(0)\n@0 y:fill(42)',
      task = [[Rank 0's y is 42. Pass it along 0 -> 1 -> 2 -> 3 by send and recv; a line for all may ask for the rank:
    if rank > 0 then world:recv(y, rank - 1) end]],
      check = function(s)
        for r = 0, 3 do
          if not s.holds(r, "y", 42) then
            if #s.waiting > 0 and #s.findings > 0 then return false, "the ranks wait for each other; :why, then :again" end
            return nil
          end
        end
        if #s.calls(0, "ncclBroadcast") > 0 then return false, "by send and recv; :again" end
        return true
      end,
      right = "NCCL's ring broadcast is this, cut into slices so that all links are busy at once.",
      hints = { "First receive, if you are not the first; then send, if you are not the last." },
      calls = { { "ncclSend", ranks = { 0, 1, 2 } }, { "ncclRecv", ranks = { 1, 2, 3 } } },
      solution = "if rank > 0 then world:recv(y, rank - 1) end\nif rank < nranks - 1 then world:send(y, rank + 1) end",
      wrong = {
        { "world:broadcast(y)", "by send and recv" },
        { "y:fill(42)", "by hand" },
      },
    },
  },
}
