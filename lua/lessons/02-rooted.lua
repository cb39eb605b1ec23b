return {
  title = "One rank and all ranks: broadcast and reduce",
  ranks = 4,
  steps = {
    {
      text = [[
Some collectives have a root: one rank that gives the data, or one that gets the result. Broadcast copies the
buffer of the root to all ranks:

    before  rank 0  A      after  rank 0  A
            rank 1  -             rank 1  A
            rank 2  -             rank 2  A
            rank 3  -             rank 3  A

The root is rank 0 unless you name another: world:broadcast(x, { root = 2 }). Options are in a table after the
buffers. Each rank has an x filled with 10 * rank.]],
      setup = 'x = cuda.buffer("float32", 4):fill(10 * rank)',
      task = "Give every rank the x of rank 2.",
      check = function(s)
        if all_hold(s, "x", 20) then return true end
        local c = s.made(0, "ncclBroadcast")
        if #c > 0 and c[#c].root ~= 2 then
          return false, ("the root was rank %d; `:again` starts the step again"):format(c[#c].root)
        end
        if unfinished(s) then return false, "all ranks must make the call, not only the root" end
        if #s.made(0, "ncclAllReduce") > 0 then return false, "an all-reduce adds the values; a broadcast copies them" end
      end,
      right = "All ranks hold 20. Ranks other than the root may pass any send buffer, or nil.",
      hints = { "world:broadcast(x, ...) with the option root" },
      calls = { { "ncclBroadcast", root = 2 } },
      solution = "world:broadcast(x, { root = 2 })",
      wrong = {
        { "x:fill(20)", "by hand" },
        { "world:broadcast(x, { root = 3 })", "the root was rank 3" },
        { "world:broadcast(x)", "the root was rank 0" },
        { "@2 world:broadcast(x, { root = 2 })", "all ranks must make the call" },
        { "world:all_reduce(x)", "adds the values" },
      },
    },
    {
      text = [[
Reduce is the opposite direction: the root gets the sum of all ranks, and the other ranks get nothing.

    before  rank 0  A      after  rank 0  A+B+C+D
            rank 1  B             rank 1  B
            rank 2  C             rank 2  C
            rank 3  D             rank 3  D

With one buffer, world:reduce(x) works in place. With two buffers, world:reduce(x, y) reads x and writes y, and
only the root's y changes. Here x is rank + 1 and y is 0.]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "All ranks call world:reduce(x, y). Which number does rank 2 hold in y afterwards?",
      answer = "0",
      right = "Rank 2 is not the root, so its y does not change. (NCCL does not define y there; do not read it.)",
      hints = { "Which rank is the root if none is named?" },
      wrong = {
        { "10", "only the root gets the sum; rank 2 is not the root" },
        { "3", "3 is the x of rank 2; y is another buffer" },
        { "6", "a reduce gives no partial sums" },
        { "world:reduce(x, y)\n0", "before you make the call" },
      },
    },
    {
      text = "The root can be any rank of the communicator, and all ranks must name the same one.",
      task = "Let rank 3 get the sum of all x in its y. Every x must stay as it is.",
      check = function(s)
        for r = 0, 3 do
          if not s.holds(r, "x", r + 1) then
            return false, ("x was overwritten on rank %d; pass y as the second buffer, after `:again`"):format(r)
          end
        end
        if s.holds(3, "y", 10) then return true end
        for r = 0, 2 do
          if s.holds(r, "y", 10) then return false, ("rank %d got the sum; which root did you name?"):format(r) end
        end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "Rank 3 holds 10 in y. Nobody else got anything.",
      hints = { "world:reduce(x, y, ...)", "The option is root = 3." },
      calls = { { "ncclReduce", root = 3, op = "sum" } },
      solution = "world:reduce(x, y, { root = 3 })",
      wrong = {
        { "@3 y:fill(10)", "by hand" },
        { "world:reduce(x, y)", "which root" },
        { "world:reduce(x, { root = 3 })", "x was overwritten" },
        { "@3 world:reduce(x, y, { root = 3 })", "all ranks must make the call" },
      },
    },
    {
      text = [[
A reduction uses an operator: "sum" (the default), "prod", "min", "max" or "avg". Each rank now has four
different values in x: rank r holds (r + 1) % 4, (r + 2) % 4 and so on.]],
      setup = 'x = cuda.buffer("float32", 4):fill(function(i) return (rank + i) % 4 end)',
      task = "On every rank, set each element of x to the largest value that any rank holds at that place. (It is 3 everywhere.)",
      check = function(s)
        if all_hold(s, "x", 3) then return true end
        local c = s.made(1, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "max" then
          return false, ("the operator was %s; `:again` starts the step again"):format(c[#c].op)
        end
        if #s.made(1, "ncclReduce") > 0 and s.holds(0, "x", 3) then
          return false, "only the root has it; another collective gives it to all ranks"
        end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "A reduce followed by a broadcast gives the same result. An all-reduce does both in one call.",
      hints = { "all_reduce has the option op." },
      calls = { { { "ncclAllReduce", "ncclReduce" }, op = "max" } },
      solution = 'world:all_reduce(x, { op = "max" })',
      wrong = {
        { "x:fill(3)", "by hand" },
        { 'world:all_reduce(x, { op = "min" })', "the operator was min" },
        { "world:all_reduce(x)", "the operator was sum" },
        { 'world:reduce(x, { op = "max" })', "only the root" },
        { '@0 world:all_reduce(x, { op = "max" })', "all ranks must make the call" },
      },
    },
  },
}
