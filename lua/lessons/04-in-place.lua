local bug = "C.ncclAllGather(y, y, 2, C.ncclFloat32, world, stream)"

return {
  title = "In place: where the parts must lie",
  ranks = 3,
  steps = {
    {
      text = [[
With one buffer, an all-reduce works in place: the result replaces the data. With parts, the place matters. In an
all-gather in place, rank r's own part must lie where the result has it: as part r of the whole.

    y on rank 1, before   . . B B . .     after   A A B B C C

y:part(k) is a view of part k of a buffer that is divided by nranks. world:all_gather(y) sends y:part(rank).]],
      setup = 'y = cuda.buffer("float32", 6):fill(0)',
      task = "Fill each rank's own part of y with rank + 1, then all-gather in place.",
      check = function(s)
        if all_hold(s, "y", function() return function(i) return (i - 1) // 2 + 1 end end) then return true end
        if #s.made(0, "ncclAllGather") > 0 then
          return false, "the result must be 1 1 2 2 3 3; did each rank fill y:part(rank), and nothing else? `:again`"
        end
        for r = 0, 2 do
          if s.holds(r, "y", r + 1) then return false, "that filled all of y; only y:part(rank) is this rank's own part" end
        end
      end,
      right = "In C, y:part(rank) is written as y + rank * count.",
      hints = { "y:part(rank):fill(rank + 1)", "world:all_gather(y)" },
      calls = { { "ncclAllGather", count = 2 } }, fills = true,
      solution = "y:part(rank):fill(rank + 1)\nworld:all_gather(y)",
      wrong = {
        { "y:fill { 1, 1, 2, 2, 3, 3 }", "the task needs all_gather" },
        { "y:fill(rank + 1)", "only y:part(rank)" },
        { "y:part(0):fill(rank + 1)\nworld:all_gather(y)", "did each rank fill" },
        { "world:all_gather(y)", "did each rank fill" },
      },
    },
    {
      text = [[
In C, nothing prevents a program from sending the beginning of y on every rank:

    C.ncclAllGather(y, y, 2, C.ncclFloat32, world, stream)

NCCL does not notice this bug. `C` has the functions of NCCL as C has them. They return a code; 0 is success.]],
      setup = "y:fill(rank + 1)",
      task = "On which rank would this call be correct, because the part that it sends lies where the result has it?",
      answer = "0",
      right = "Only part 0 lies at the beginning of y.",
      hints = { "Rank r's own part begins at element r * 2." },
      wrong = {
        { "1", "rank 1's own part begins at element 2, and the call sends element 0" },
        { "2", "rank 2's own part begins at element 4, and the call sends element 0" },
        { "3", "the ranks are 0, 1 and 2" },
        { bug .. "\n0", "before you make the call" },
      },
    },
    {
      text = "On the other ranks, NCCL overwrites data while it is sent. ncclscript reports this.",
      setup = "y:fill(rank + 1)",
      task = "Type the call as it is shown above, then `:why`, then any other line, such as `y`.",
      check = function(s)
        local c = s.made(1, "ncclAllGather")
        if #c == 0 then return nil end
        if not c[#c].in_place then return false, "pass y as both buffers: that is the bug" end
        if c[#c].count ~= 2 then return false, "the count is 2" end
        return s.input ~= bug or nil
      end,
      right = "On GPUs the result would be right on rank 0, and wrong on the others, perhaps only sometimes.",
      hints = { "Copy the line; then :why; then y." },
      calls = { { "ncclAllGather", count = 2 } }, fills = true,
      solution = bug .. "\ny",
      wrong = {
        { "world:all_gather(y)\ny", "pass y as both buffers" },
        { 'z = cuda.buffer("float32", 6)\nC.ncclAllGather(y, z, 2, C.ncclFloat32, world, stream)\ny', "pass y as both buffers" },
        { "C.ncclAllGather(y, y, 1, C.ncclFloat32, world, stream)\ny", "the count is 2" },
        { "y:fill(0)", "" },
      },
    },
    {
      text = [[
A reduce-scatter in place is the mirror image: the whole buffer is read, and the result is written to part `rank`
of it. world:reduce_scatter(z) writes z:part(rank). Here z holds 1 2 3, multiplied by rank + 1.]],
      setup = 'z = cuda.buffer("float32", 3):fill(function(i) return i * (rank + 1) end)',
      task = "Leave part r of the sum on rank r, in place.",
      check = function(s)
        if #s.made(0, "ncclAllReduce") > 0 then return false, "an all-reduce gives the whole sum to every rank; `:again`" end
        for r = 0, 2 do
          local v = s.value(r, "z")
          if not v or v[r + 1] ~= 6 * (r + 1) then
            if unfinished(s) then return false, "all ranks must make the call" end
            return nil
          end
        end
        return true
      end,
      right = "The other parts of z did not change here. NCCL does not promise that: do not read them.",
      hints = { "world:reduce_scatter(z)" },
      calls = { { "ncclReduceScatter", op = "sum" } },
      solution = "world:reduce_scatter(z)",
      wrong = {
        { "world:all_reduce(z)", "the whole sum" },
        { "z:part(rank):fill(6 * (rank + 1))", "by hand" },
        { "@0,1 world:reduce_scatter(z)", "all ranks must make the call" },
        { 'world:reduce_scatter(z, { op = "avg" })\nz:part(rank):fill(6 * (rank + 1))', "by hand" },
      },
    },
  },
}
