return {
  title = "Ranks, and what each of them holds",
  ranks = 4,
  steps = {
    {
      text = [[
An NCCL job consists of several processes. Each process uses its own GPU and has a number, its rank. Ranks are
counted from 0. This prompt runs four ranks, and each line that you type runs on all four.

In every line, `rank` is the rank's own number and `nranks` is the number of ranks.

Three commands help you in every lesson: `:hint` gives a hint, `:solution` shows one answer, and `:again` starts
the step again. Commands begin with a colon; `:help` lists them all.]],
      task = "Ask every rank for its number.",
      check = function(s)
        for r = 0, s.nranks - 1 do
          if s.replies[r] ~= tostring(r) then
            return false, s.replies[r] and "that is not the rank's number; type just: rank"
          end
        end
        return true
      end,
      right = "Every rank replied with its own number.",
      hints = { "The name is `rank`, without quotes or brackets." },
      reply = true,
      solution = "rank",
      wrong = {
        { "nranks", "not the rank's number" },
        { '"rank"', "not the rank's number" },
        { "0", "not the rank's number" },
        { "rank + 1", "not the rank's number" },
      },
    },
    {
      text = [[
Each rank stores its data in buffers in the memory of its GPU. cuda.buffer(type, count) creates a buffer, and
:fill(value) sets all its elements:

    x = cuda.buffer("float32", 4):fill(7)

Each rank runs this line for itself, so each rank gets its own x.]],
      task = "On every rank, create a buffer x of 4 float32 in which each element is rank + 1.",
      check = function(s)
        for r = 0, s.nranks - 1 do
          local v = s.value(r, "x")
          if not v then return false, next(s.errors) and "a line failed; read the error above" or nil end
          if #v ~= 4 then return false, "x has " .. #v .. " elements on rank " .. r .. ", not 4" end
          if s.dtype(r, "x") ~= "float32" then return false, "x is " .. s.dtype(r, "x") .. ", not float32" end
          if not s.holds(r, "x", r + 1) then
            return false, ("on rank %d the elements are %g, not rank + 1 = %d"):format(r, v[1], r + 1)
          end
        end
        return true
      end,
      right = "Type `x` to see what each rank holds. `:buffers` lists all buffers.",
      hints = { "fill accepts any Lua expression, also `rank + 1`.", 'x = cuda.buffer("float32", 4):fill(...)' },
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
A line can run on some ranks only. Write the ranks in front of it: `@2 x` runs on rank 2, `@0,3 x` on ranks 0 and
3, and `@1..3 x` on ranks 1 to 3.]],
      task = "Let rank 2 alone fill its x with 100.",
      check = function(s)
        for _, r in ipairs { 0, 1, 3 } do
          if not s.holds(r, "x", r + 1) then
            return false, ("x on rank %d changed too; `:back` undoes the line"):format(r)
          end
        end
        if s.holds(2, "x", 100) then return true end
        local v = s.value(2, "x")
        if v and v[1] ~= 3 then return false, ("rank 2 holds %g now, not 100"):format(v[1]) end
      end,
      right = "Only rank 2 ran the line. The x of the other ranks did not change.",
      hints = { "Begin the line with @2.", "x:fill(100) fills a buffer that exists." },
      solution = "@2 x:fill(100)",
      wrong = {
        { "x:fill(100)", "changed too" },
        { "@0,3 x:fill(100)", "changed too" },
        { "@3 x:fill(100)", "changed too" },
        { "@2 x:fill(10)", "holds 10 now" },
      },
    },
    {
      text = [[
Ranks that communicate belong to a communicator. The communicator of all ranks exists from the start; its name is
`world`. Its methods are the functions of NCCL. world:all_reduce(x) adds the x of all ranks, element by element,
and writes the sum into x on every rank.

The ranks hold 1, 2, 100 and 4 in x.]],
      task = "Every rank calls world:all_reduce(x). Which number does rank 1 hold afterwards? Type the number.",
      answer = "107",
      right = "1 + 2 + 100 + 4 = 107. Every rank gets the whole sum.",
      hints = { "Add the four numbers.", "An all-reduce writes the same result on all ranks." },
      wrong = {
        { "2", "an all-reduce replaces x on every rank, also on rank 1" },
        { "102", "the sum includes the x of all four ranks" },
        { "3", "the sum includes the x of all four ranks" },
        { "world:all_reduce(x)\n107", "before you make the call" },
      },
    },
    {
      text = "All ranks of a communicator must make the call. A rank that calls alone waits for the others.",
      task = "Add the x of all ranks with world:all_reduce(x).",
      check = function(s)
        if all_hold(s, "x", 107) then return true end
        if unfinished(s) then
          return false, "some ranks wait for ranks that have not called yet; type the line for those, or for all"
        end
        if #s.made(0, "ncclAllReduce") > 0 then return false, "x is not the sum of all; `:again` starts the step again" end
      end,
      right = "Every rank holds 107.",
      hints = { "world:all_reduce(x), on all ranks." },
      calls = { { "ncclAllReduce", comm = "world", op = "sum" } },
      solution = "world:all_reduce(x)",
      wrong = {
        { "x:fill(107)", "by hand" },
        { "@0..2 world:all_reduce(x)", "wait for ranks" },
        { "@0 world:all_reduce(x)", "wait for ranks" },
        { 'world:all_reduce(x, { op = "max" })', "not the sum" },
      },
    },
  },
}
