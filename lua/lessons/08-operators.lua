return {
  title = "Operators: averages, scaling, and rounding",
  ranks = 4,
  steps = {
    {
      text = [[
"avg" divides the sum by the number of ranks. For integers it is cut off, as C divides: the mean of 1, 2, 2, 2
is 1.]],
      setup = 'f = cuda.buffer("float32", 1):fill(rank == 0 and 1 or 2)\ni = cuda.buffer("int32", 1):fill(rank == 0 and 1 or 2)',
      task = "Average f and i over all ranks; both hold 1 2 2 2.",
      check = function(s)
        local c = s.calls(0, "ncclAllReduce")
        if #c > 0 and c[#c].op ~= "avg" then return false, "the operator was " .. c[#c].op .. "; :again" end
        if s.holds(0, "f", 1.75) and s.holds(0, "i", 1) then return true end
      end,
      right = "1.75 as float32, 1 as int32: integers lose what does not fit.",
      hints = { 'world:all_reduce(f, { op = "avg" })', "the same for i" },
      solution = 'world:all_reduce(f, { op = "avg" })\nworld:all_reduce(i, { op = "avg" })',
      wrong = { { "world:all_reduce(f)", "the operator was sum" } },
    },
    {
      text = [[
An operator of one's own multiplies each rank's data by a factor before it is added up:

    op = world:premulsum("float32", 0.5)

The factor belongs to the rank: each may have another one. The type has to be that of the data.]],
      setup = 'x = cuda.buffer("float32", 4):fill(8)',
      task = "All ranks hold 8. Weight rank 0 by 1 and the others by 0.25, so that the sum is 8 + 3 * 2 = 14.",
      check = function(s)
        if s.holds(0, "x", 14) and s.holds(3, "x", 14) then return true end
        local c = s.calls(0, "ncclAllReduce")
        if #c > 0 and c[#c].comm == "world" and c[#c].op == "premulsum" and #s.waiting == 0 and s.streams() == 0 then
          local v = s.value(0, "x")
          return false, ("the sum is %g, not 14; :again"):format(v[1])
        end
        if next(s.errors) then return false, "a line failed; the operator is made by world:premulsum(type, factor)" end
      end,
      right = "This is how gradients are scaled while they are added up, in one pass over memory.",
      hints = { 'op = world:premulsum("float32", rank == 0 and 1 or 0.25)', "world:all_reduce(x, { op = op })" },
      calls = { { "ncclAllReduce", op = "premulsum" } },
      solution = 'op = world:premulsum("float32", rank == 0 and 1 or 0.25)\nworld:all_reduce(x, { op = op })',
      wrong = {
        { "x:fill(14)", "by hand" },
        { 'op = world:premulsum("float32", 0.25)\nworld:all_reduce(x, { op = op })', "not 14" },
        { 'op = world:premulsum(0.25)', "a line failed" },
      },
    },
    {
      text = [[
Narrow types round at every step. float16 has 11 binary digits: above 2048 it has no odd numbers. Its largest
value is 65504; beyond that is infinity.]],
      setup = 'h = cuda.buffer("float16", 1):fill(30000)',
      task = "Each rank holds 30000 in h, a float16. Get their mean in h, which fits: but mind the sum, which does not.",
      check = function(s)
        if s.holds(0, "h", 30000) and #s.calls(0, "ncclAllReduce") > 0 then
          local c = s.calls(0, "ncclAllReduce")
          if c[#c].dtype == "float16" then return true end
        end
        local v = s.value(0, "h")
        if v and v[1] == math.huge then return false, "4 * 30000 is infinity in float16; let the operator divide before it adds. :again" end
      end,
      right = '"avg" multiplies by 1/4 before it adds, so nothing overflows. A pre-mul-sum by 1/4 does the same.',
      hints = { 'There is an operator "avg".' },
      calls = { { "ncclAllReduce", dtype = "float16", op = { "avg", "premulsum" } } },
      solution = 'world:all_reduce(h, { op = "avg" })',
      wrong = {
        { "world:all_reduce(h)", "is infinity" },
        { 'world:all_reduce(h, { op = "max" })', "made no call of ncclAllReduce" },
      },
    },
    {
      text = [[
Sums of floating point depend on the order: 1e8 + 1 is 1e8 in float32. NCCL promises no order, and different
numbers of ranks, algorithms and versions use different ones. So results are compared within a bound:
expect.equal(x, value) allows nranks roundings, { tol = 0 } none.]],
      setup = 'z = cuda.buffer("float32", 1):fill(({ 1e8, 1, -1e8, 1 })[rank + 1])',
      task = "z is 1e8, 1, -1e8, 1. Add it up and see what comes out in place of 2.",
      check = function(s)
        local c = s.calls(0, "ncclAllReduce")
        local v = s.value(0, "z")
        if v and #c > 0 and v[1] ~= 1e8 and s.streams() == 0 then
          return true, ("%g: the first 1 was lost in 1e8. All ranks have the same, whatever it is."):format(v[1])
        end
      end,
      hints = { "world:all_reduce(z), then z" },
      calls = { { "ncclAllReduce", op = "sum" } },
      solution = "world:all_reduce(z)\nz",
    },
  },
}
