return {
  title = "Ranks, and what each of them holds",
  ranks = 4,
  steps = {
    {
      text = [[
A job with NCCL is several processes, each with a GPU of its own. Each has a number, its rank, from 0.
Here are four of them, and every line that you type runs on all four.

A rank knows its number, `rank`, and how many there are, `nranks`.]],
      task = "Ask every rank for its number.",
      check = function(s)
        for r = 0, s.nranks - 1 do
          if s.replies[r] ~= tostring(r) then
            return false, s.replies[r] and "that is not the rank's number; type just: rank"
          end
        end
        return true
      end,
      right = "Every rank has answered with its own number.",
      hints = { "The name is `rank`, without quotes or brackets." },
      reply = true,
      solution = "rank",
      wrong = {
        { "nranks", "not the rank's number" }, { '"rank"', "not the rank's number" },
        { "0", "not the rank's number" },
        { "rank + 1", "not the rank's number" },
      },
    },
    {
      text = [[
Data lies in buffers, in the memory of a rank's GPU. cuda.buffer(type, count) makes one, and :fill(value)
puts a value into each element:

    x = cuda.buffer("float32", 4):fill(7)

Each rank runs the line for itself, so each has an x of its own.]],
      task = "Make an x of 4 float32 on every rank, each element of which is the rank plus 1.",
      check = function(s)
        for r = 0, s.nranks - 1 do
          local v = s.value(r, "x")
          if not v then return false, next(s.errors) and "a line failed; look at the error" or nil end
          if #v ~= 4 then return false, "x has " .. #v .. " elements on rank " .. r .. ", not 4" end
          if s.dtype(r, "x") ~= "float32" then return false, "x is " .. s.dtype(r, "x") .. ", not float32" end
          if not s.holds(r, "x", r + 1) then
            return false, ("on rank %d the elements are %g, not rank + 1 = %d"):format(r, v[1], r + 1)
          end
        end
        return true
      end,
      right = "`x` alone shows what each rank holds; `:buffers` shows all buffers.",
      hints = { "fill takes any value of Lua, also `rank + 1`.", 'x = cuda.buffer("float32", 4):fill(...)' },
      solution = 'x = cuda.buffer("float32", 4):fill(rank + 1)',
      wrong = {
        { 'x = cuda.buffer("float64", 4):fill(rank + 1)', "not float32" },
        { 'x = cuda.buffer("int32", 4):fill(rank + 1)', "not float32" },
        { 'x = cuda.buffer("float32", 4):fill(rank)', "not rank + 1" },
        { 'x = cuda.buffer("float32", 8):fill(rank + 1)', "not 4" },
        { 'x = cuda.buffer("float", "four")', "a line failed" },
      },
    },
    {
      text = [[
A line can be for some ranks only: `@2 x` is for rank 2, `@0,3 x` for two of them, `@1..3 x` for 1 to 3.]],
      task = "Let rank 2 alone fill its x with 100.",
      check = function(s)
        local right = s.holds(2, "x", 100)
        for _, r in ipairs { 0, 1, 3 } do
          if not s.holds(r, "x", r + 1) then
            return false, ("x on rank %d changed too; :back undoes the line"):format(r)
          end
        end
        return right or nil
      end,
      hints = { "Begin the line with @2.", "x:fill(100) fills a buffer that is there." },
      solution = "@2 x:fill(100)",
      wrong = {
        { "x:fill(100)", "changed too" },
        { "@0,3 x:fill(100)", "changed too" },
        { "@3 x:fill(100)", "changed too" },
      },
    },
    {
      text = [[
Ranks that work together form a communicator. One over all of them is there from the beginning: `world`.
Its methods are what NCCL does: world:all_reduce(x) adds up the x of all ranks, element by element, and puts
the sum into x on every rank. All ranks of the communicator have to make the call.]],
      task = "Add up the x of all ranks.",
      check = function(s)
        local n = 0
        for r = 0, s.nranks - 1 do n = n + (s.holds(r, "x", 107) and 1 or 0) end
        if n == s.nranks then return true end
        if #s.waiting > 0 then
          return false, "ranks wait for those that have not made the call yet; type it for them, or for all"
        end
        if #s.calls(0, "ncclAllReduce") > 0 then return false, "x is not the sum of all; :again begins the step anew" end
      end,
      right = "1 + 2 + 100 + 4 = 107, on every rank.",
      hints = { "world:all_reduce(x), on all ranks." },
      calls = { { "ncclAllReduce", comm = "world", op = "sum" } },
      solution = "world:all_reduce(x)",
      wrong = {
        { "x:fill(107)", "by hand" },
        { "@0..2 world:all_reduce(x)", "wait for those" },
        { "@0 world:all_reduce(x)", "wait for those" },
        { 'world:all_reduce(x, { op = "max" })', "not the sum" },
      },
    },
  },
}
