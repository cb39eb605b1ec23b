local function all(s, name, want)
  for r = 0, s.nranks - 1 do
    if not s.holds(r, name, want) then return false, r end
  end
  return true
end

return {
  title = "One for all: broadcast and reduce",
  ranks = 4,
  steps = {
    {
      text = [[
Some collectives have a root: one rank that gives, or gets. Broadcast copies the root's buffer to all:

    before  rank 0  A      after  rank 0  A
            rank 1  -             rank 1  A
            rank 2  -             rank 2  A
            rank 3  -             rank 3  A

The root is rank 0 unless an option says otherwise: world:broadcast(x, { root = 2 }). Options stand in a
table behind the buffers. Each rank has an x that is filled with 10 times its number.]],
      setup = 'x = cuda.buffer("float32", 4):fill(10 * rank)',
      task = "Give every rank the x of rank 2.",
      check = function(s)
        if all(s, "x", 20) then return true end
        local c = s.calls(0, "ncclBroadcast")
        if #c > 0 and c[#c].root ~= 2 then
          return false, ("the root was rank %d; :again begins the step anew"):format(c[#c].root)
        end
        if #s.waiting > 0 then return false, "all ranks have to make the call, not the root alone" end
      end,
      right = "All have rank 2's data. Whoever is not the root may pass anything, or nil, as what is sent.",
      hints = { "world:broadcast(x, ...) with the option root" },
      calls = { { "ncclBroadcast", root = 2 } },
      solution = "world:broadcast(x, { root = 2 })",
      wrong = {
        { "x:fill(20)", "by hand" },
        { "world:broadcast(x, { root = 3 })", "the root was rank 3" },
        { "world:broadcast(x)", "the root was rank 0" },
        { "@2 world:broadcast(x, { root = 2 })", "all ranks have to make the call" },
      },
    },
    {
      text = [[
Reduce is the way back: the root gets the sum of all, nobody else gets anything.

    before  rank 0  A      after  rank 0  A+B+C+D
            rank 1  B             rank 1  B
            rank 2  C             rank 2  C
            rank 3  D             rank 3  D

With one buffer it is done in place. With two, world:reduce(x, y) reads x and writes y, on the root only.]],
      setup = 'x = cuda.buffer("float32", 4):fill(rank + 1)\ny = cuda.buffer("float32", 4):fill(0)',
      task = "Let rank 3 get the sum of all x in its y; x stays as it is.",
      check = function(s)
        for r = 0, 3 do
          if not s.holds(r, "x", r + 1) then
            return false, ("x was overwritten on rank %d; give y as the second buffer, and :again"):format(r)
          end
        end
        if s.holds(3, "y", 10) then return true end
        for r = 0, 2 do
          if s.holds(r, "y", 10) then return false, ("rank %d got it; which root?"):format(r) end
        end
        if #s.waiting > 0 then return false, "all ranks have to make the call" end
      end,
      right = "Only rank 3 has it.",
      hints = { "world:reduce(x, y, ...)", "The option is root = 3." },
      calls = { { "ncclReduce", root = 3, op = "sum" } },
      solution = "world:reduce(x, y, { root = 3 })",
      wrong = {
        { "@3 y:fill(10)", "by hand" },
        { "world:reduce(x, y)", "which root" },
        { "world:reduce(x, { root = 3 })", "x was overwritten" },
      },
    },
    {
      text = [[
Reductions have an operator: "sum" (if none is given), "prod", "min", "max" and "avg".]],
      setup = 'x = cuda.buffer("float32", 4):fill(function(i) return (rank + i) % 4 end)',
      task = "Let every rank get, in x, the greatest value that any rank has at each place. (Here: 3 everywhere.)",
      check = function(s)
        if all(s, "x", 3) then return true end
        local c = s.calls(1, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "max" then
          return false, ("the operator was %s; :again begins the step anew"):format(c[#c].op)
        end
        if #s.calls(1, "ncclReduce") > 0 and s.holds(0, "x", 3) then
          return false, "only the root has it; there is a collective after which all have"
        end
      end,
      right = "A reduce followed by a broadcast gives the same: an all-reduce is both in one.",
      hints = { "all_reduce has the option op." },
      calls = { { { "ncclAllReduce", "ncclReduce" }, op = "max" } },
      solution = 'world:all_reduce(x, { op = "max" })',
      wrong = {
        { "x:fill(3)", "by hand" },
        { 'world:all_reduce(x, { op = "min" })', "the operator was min" },
        { "world:all_reduce(x)", "the operator was sum" },
        { 'world:reduce(x, { op = "max" })', "only the root" },
      },
    },
  },
}
