return {
  title = "Operators: averages, scaling, and rounding",
  ranks = 4,
  steps = {
    {
      text = [[
"avg" divides the sum by the number of ranks. Integer results are truncated, as in C. Both f (float32) and i
(int32) hold 1 on rank 0, and 2 on the other ranks.]],
      setup = 'f = cuda.buffer("float32", 1):fill(rank == 0 and 1 or 2)\ni = cuda.buffer("int32", 1):fill(rank == 0 and 1 or 2)',
      task = "What is the average of i, an int32, over the four ranks?",
      answer = "1",
      right = "7 / 4 = 1.75, and an integer keeps 1.",
      hints = { "(1 + 2 + 2 + 2) / 4, without the fraction" },
      wrong = {
        { "1.75", "1.75 is the average of f; an int32 has no fraction" },
        { "2", "integers are truncated, not rounded" },
        { "7", "7 is the sum" },
        { 'world:all_reduce(i, { op = "avg" })\n1', "before you make the call" },
      },
    },
    {
      text = "Now compute both averages.",
      task = "Average f and i over all ranks.",
      check = function(s)
        local c = s.made(0, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "avg" then return false, "the operator was " .. c[#c].op .. "; `:again`" end
        if all_hold(s, "f", 1.75) and all_hold(s, "i", 1) then return true end
        if #c == 1 and s.streams() == 0 then return false, "good; now the other buffer" end
      end,
      right = "1.75 as float32, 1 as int32.",
      hints = { 'world:all_reduce(f, { op = "avg" })', "the same for i" },
      calls = { { "ncclAllReduce", op = "avg", dtype = "float32" }, { "ncclAllReduce", op = "avg", dtype = "int32" } },
      solution = 'world:all_reduce(f, { op = "avg" })\nworld:all_reduce(i, { op = "avg" })',
      wrong = {
        { "world:all_reduce(f)", "the operator was sum" },
        { 'world:all_reduce(f, { op = "avg" })', "the other buffer" },
        { 'world:all_reduce(f, { op = "max" })', "the operator was max" },
        { "f:fill(1.75) i:fill(1)", "by hand" },
      },
    },
    {
      text = [[
You can make your own operator. It multiplies each rank's data by a factor before the data is added:

    op = world:premulsum("float32", 0.5)

Each rank can use its own factor. The type must be the type of the data. All ranks hold 8 in x.]],
      setup = 'x = cuda.buffer("float32", 4):fill(8)',
      task = "Weight rank 0 by 1 and the other ranks by 0.25, so that the sum is 8 + 3 * 2 = 14.",
      check = function(s)
        if all_hold(s, "x", 14) then return true end
        if next(s.errors) then return false, "a line failed; create the operator with world:premulsum(type, factor)" end
        if #s.made(0, "ncclAllReduce") > 0 and not unfinished(s) then
          return false, ("the sum is %g, not 14; `:again`"):format(s.value(0, "x")[1])
        end
      end,
      right = "Gradients are scaled like this while they are added, in one pass over the memory.",
      hints = { 'op = world:premulsum("float32", rank == 0 and 1 or 0.25)', "world:all_reduce(x, { op = op })" },
      calls = { { "ncclAllReduce", op = "premulsum" } },
      solution = 'op = world:premulsum("float32", rank == 0 and 1 or 0.25)\nworld:all_reduce(x, { op = op })',
      wrong = {
        { "x:fill(14)", "by hand" },
        { 'op = world:premulsum("float32", 0.25)\nworld:all_reduce(x, { op = op })', "not 14" },
        { "op = world:premulsum(0.25)", "a line failed" },
        { "x:fill(rank == 0 and 8 or 2)\nworld:all_reduce(x)", "by hand" },
      },
    },
    {
      text = [[
Narrow types round at every step. The largest float16 is 65504; larger numbers become infinity. Each rank holds
30000 in h, a float16. Their sum is 120000.]],
      setup = 'h = cuda.buffer("float16", 1):fill(30000)',
      task = "Compute the mean of h on all ranks. It is 30000, which fits; the sum does not fit.",
      check = function(s)
        local v = s.value(0, "h")
        if v and v[1] == math.huge then
          return false, "4 * 30000 is infinity in float16; use an operator that divides before it adds. `:again`"
        end
        local c = s.made(0, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "avg" and c[#c].op ~= "premulsum" then
          return false, ("`%s` gives 30000 here only because all ranks hold the same; `:again`"):format(c[#c].op)
        end
        return #c > 0 and all_hold(s, "h", 30000) or nil
      end,
      right = '"avg" multiplies by 1/4 before it adds, so nothing overflows. A pre-mul-sum with factor 1/4 does the same.',
      hints = { 'There is an operator "avg".' },
      calls = { { "ncclAllReduce", dtype = "float16", op = { "avg", "premulsum" } } },
      solution = 'world:all_reduce(h, { op = "avg" })',
      wrong = {
        { "world:all_reduce(h)", "is infinity" },
        { 'world:all_reduce(h, { op = "max" })', "only because all ranks hold the same" },
        { 'world:all_reduce(h, { op = "prod" })', "is infinity" },
        { "h:fill(30000)", "" },
      },
    },
    {
      text = [[
A floating-point sum depends on the order: in float32, 1e8 + 1 is 1e8. NCCL promises no order, and the order
changes with the number of ranks, the algorithm and the version. So results are compared with a tolerance:
expect.equal(x, value) allows nranks roundings, and { tol = 0 } allows none.]],
      setup = 'z = cuda.buffer("float32", 1):fill(({ 1e8, 1, -1e8, 1 })[rank + 1])',
      task = "The ranks hold 1e8, 1, -1e8 and 1 in z. Add z over all ranks and see what you get in place of 2.",
      check = function(s)
        local c = s.made(0, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "sum" then return false, "add them: the operator is sum. `:again`" end
        if #c > 0 and unfinished(s) then return false, "all ranks must make the call" end
        if #c > 0 then
          return true, ("%g: a 1 was lost when it was added to 1e8. All ranks have the same result."):format(s.value(0, "z")[1])
        end
      end,
      hints = { "world:all_reduce(z), then z" },
      calls = { { "ncclAllReduce", op = "sum" } },
      solution = "world:all_reduce(z)\nz",
      wrong = {
        { 'world:all_reduce(z, { op = "max" })', "the operator is sum" },
        { "@0..2 world:all_reduce(z)", "all ranks must make the call" },
        { "z:fill(2)", "" },
        { "z:fill(1)\nworld:all_reduce(z)", "by hand" },
      },
    },
  },
}
